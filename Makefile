# The few things done with this project. Everything is installed under .venv/ (Python), .cache/ (tools) and jvm/target/.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-builtin-rules --no-print-directory
.PHONY: help run test lint format jar kafka cluster bench fuzz nightly clean

JAR := jvm/target/faultline.jar
JAVA_SOURCES := $(shell find jvm/src -name '*.java' -o -path '*/resources/*' -type f)
KAFKA := .cache/kafka/.done
JAVA_FORMAT := .cache/google-java-format-1.28.0-all-deps.jar
# google-java-format reads the compiler's own syntax tree, which JDK 17 hides by default.
JAVA_FORMAT_RUN := java $(addprefix --add-exports=jdk.compiler/com.sun.tools.javac.,\
	api=ALL-UNNAMED code=ALL-UNNAMED file=ALL-UNNAMED parser=ALL-UNNAMED tree=ALL-UNNAMED util=ALL-UNNAMED) -jar $(JAVA_FORMAT)
TOOLCHAIN := . .ci/toolchain.sh;
PYTHON := "$$(venv_home)/bin/python"

# Tests on real data look for it here; without it they are skipped, counted and named.
export FAULTLINE_DATA ?= $(shell cd ../shared/data 2>/dev/null && pwd)

help: ## Show this list
	@grep -hE '^[a-z]+:.*## ' Makefile | sed -E 's/^([a-z]+):.*## (.*)/  make \1\t\2/' | expand -t 16

run: ## Find the root cause of a simulated incident with the real job (first time: install and build)
	@$(MAKE) -j2 --output-sync=target .venv/.job $(JAR)
	@$(TOOLCHAIN) need_java; "$$(venv_home)/bin/faultline" demo

test: ## Lint, Java tests, Python tests (installs what they need; FAULTLINE_DATA names the real data)
	@$(MAKE) -j2 --output-sync=target .venv/.all $(KAFKA) $(JAVA_FORMAT)
	@$(MAKE) lint
	@$(TOOLCHAIN) maven --quiet -f jvm/pom.xml verify
	@$(TOOLCHAIN) need_java; $(PYTHON) -m pytest

lint: .venv/.all $(JAVA_FORMAT) ## ruff, mypy --strict, javac -Xlint:all -Werror, google-java-format
	@$(TOOLCHAIN) $(PYTHON) -m ruff check .
	@$(TOOLCHAIN) $(PYTHON) -m ruff format --check --quiet . || { echo 'mend: make format' >&2; exit 1; }
	@$(TOOLCHAIN) $(PYTHON) -m mypy .
	@$(TOOLCHAIN) maven --quiet -f jvm/pom.xml test-compile
	@$(TOOLCHAIN) need_java; find jvm/src -name '*.java' -print0 | \
		xargs -0 -r $(JAVA_FORMAT_RUN) --dry-run --set-exit-if-changed || { echo 'mend: make format' >&2; exit 1; }

format: .venv/.all $(JAVA_FORMAT) ## Format Python and Java in place
	@$(TOOLCHAIN) $(PYTHON) -m ruff check --fix --quiet . || true
	@$(TOOLCHAIN) $(PYTHON) -m ruff format --quiet .
	@$(TOOLCHAIN) need_java; find jvm/src -name '*.java' -print0 | xargs -0 -r $(JAVA_FORMAT_RUN) --replace

jar: $(JAR) ## Build the job's one jar

kafka: .venv/.job $(KAFKA) ## A Kafka broker in the foreground until Ctrl-C (BOOTSTRAP=localhost:9092)
	@$(TOOLCHAIN) need_java; exec $(PYTHON) -m tests.kit.kafka --bootstrap $${BOOTSTRAP:-localhost:9092}

cluster: .venv/.job ## A Flink cluster in the foreground until Ctrl-C (REST_PORT=8081)
	@$(TOOLCHAIN) need_java; exec $(PYTHON) -m tests.kit.cluster --rest-port $${REST_PORT:-8081}

bench: .venv/.all $(KAFKA) $(JAR) ## Measure speed, latency, heap and sizes into benchmarks/results.md (hours; parts: ONLY=otlp,native)
	@$(TOOLCHAIN) maven --quiet -f jvm/pom.xml test-compile
	@$(TOOLCHAIN) need_java; $(PYTHON) -m benchmarks.throughput --write $(if $(ONLY),--only $(ONLY))
ifndef ONLY
	@$(TOOLCHAIN) need_java; $(PYTHON) -m benchmarks.stages --write
	@$(TOOLCHAIN) need_java; $(PYTHON) -m benchmarks.live steady --rate 200000 --seconds 60 --write
	@$(TOOLCHAIN) need_java; $(PYTHON) -m benchmarks.live latency --rate 100000 --seconds 300 --write
	@$(TOOLCHAIN) need_java; $(PYTHON) -m benchmarks.control --rate 100000 --updates 100 --write
	@$(TOOLCHAIN) need_java; $(PYTHON) -m benchmarks.control_models --rate 100000 --updates 40 --write
	@$(TOOLCHAIN) need_java; for nodes in 0 10000; do $(PYTHON) -m benchmarks.isolation --nodes $$nodes --write; done
	@$(TOOLCHAIN) need_java; $(PYTHON) -m benchmarks.heap --write
	@$(TOOLCHAIN) need_java; $(PYTHON) -m benchmarks.sizes --write
endif

fuzz: ## A million damaged payloads through each decoder (COUNT=1000000 SEED=1 FORMATS=native,telegraf), counts in jvm/target/fuzz
	@$(TOOLCHAIN) maven --quiet -f jvm/pom.xml test -Dtest=FuzzTest -Dfuzz.count=$${COUNT:-1000000} -Dfuzz.seed=$${SEED:-1} -Dfuzz.formats=$${FORMATS:-}
	@cat jvm/target/fuzz/*.txt

nightly: ## 10,000 random patterns through stock Flink CEP and the engine (PATTERNS=50 SEED=1 SEEDS=200)
	@$(TOOLCHAIN) maven --quiet -f jvm/pom.xml test -Dtest=DifferentialTest -Dfaultline.differential.patterns=$${PATTERNS:-50} \
		-Dfaultline.differential.seed=$${SEED:-1} -Dfaultline.differential.seeds=$${SEEDS:-200}

clean: ## Remove everything that was installed or built here
	@$(TOOLCHAIN) rm -rf "$$(venv_home)"
	@rm -rf .venv .cache .mypy_cache .ruff_cache .pytest_cache jvm/target out *.egg-info

.venv/.job: setup.py constraints.txt
	@$(TOOLCHAIN) install job && touch .venv/.job

.venv/.all: setup.py constraints.txt
	@$(TOOLCHAIN) install job,train,dev && touch .venv/.job .venv/.all

$(JAR): jvm/pom.xml $(JAVA_SOURCES)
	@$(TOOLCHAIN) echo 'building $(JAR)' >&2; maven --quiet -f jvm/pom.xml package -DskipTests && touch $(JAR)

# The broker of the tests and of `make kafka`: Kafka's own artifacts, fetched once.
$(KAFKA): tests/kit/kafka-pom.xml
	@$(TOOLCHAIN) echo 'fetching Kafka' >&2; \
		maven --quiet -f tests/kit/kafka-pom.xml dependency:copy-dependencies -DoutputDirectory="$$PWD/.cache/kafka" && touch $(KAFKA)

$(JAVA_FORMAT):
	@$(TOOLCHAIN) echo 'fetching google-java-format' >&2; \
		maven --quiet org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy -DoutputDirectory="$$PWD/.cache" \
		-Dartifact=com.google.googlejavaformat:google-java-format:1.28.0:jar:all-deps && touch $(JAVA_FORMAT)
