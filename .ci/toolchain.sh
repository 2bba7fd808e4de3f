# shellcheck shell=bash
# Sourced by the Makefile's recipes: finds Python 3.11, a JDK 17 and Maven, or says what is missing and the mend.
# Exits 3 (environment) where a piece is missing. Downloads nothing.

fail() {
    printf 'faultline: %s\n    mend: %s\n' "$1" "$2" >&2
    exit 3
}

# Prints the version words of a JDK's compiler: "javac 17.0.15"; nothing where there is none.
javac_version() { [[ -x "$1/bin/javac" ]] && "$1/bin/javac" -version 2>&1 | head -n 1 || true; }

# Exports JAVA_HOME of a JDK 17: the caller's own, then the one on PATH, then one installed in the usual place.
need_java() {
    local on_path candidate found
    on_path=$(command -v javac || true)
    [[ -n $on_path ]] && on_path=$(dirname "$(dirname "$(readlink -f "$on_path")")")
    for candidate in "${JAVA_HOME:-}" "$on_path" /usr/lib/jvm/*17*; do
        [[ -n $candidate ]] || continue
        found=$(javac_version "$candidate")
        if [[ $found == "javac 17"* ]]; then
            if [[ -n ${JAVA_HOME:-} && $JAVA_HOME != "$candidate" ]]; then
                printf 'faultline: JAVA_HOME=%s is no JDK 17; using %s\n' "$JAVA_HOME" "$candidate" >&2
            fi
            export JAVA_HOME=$candidate PATH="$candidate/bin:$PATH"
            return
        fi
    done
    fail "no JDK 17 found (JAVA_HOME=${JAVA_HOME:-unset}, javac on PATH: $(javac -version 2>&1 | head -n 1 || true))" \
        "install one and point JAVA_HOME at it; on Debian: apt-get install openjdk-17-jdk-headless"
}

need_maven() {
    command -v mvn >/dev/null || fail "mvn (Maven) is not on PATH" \
        "install it; on Debian: apt-get install maven"
}

need_python() {
    command -v python3.11 >/dev/null && python3.11 -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' ||
        fail "python3.11 is not on PATH (apache-flink 2.2.1 and its Beam need this version)" \
            "install it; on Debian: apt-get install python3.11 python3.11-venv"
    python3.11 -c 'import ensurepip, venv' 2>/dev/null ||
        fail "python3.11 cannot make virtual environments" "on Debian: apt-get install python3.11-venv"
}

# Prints the real folder of the virtual environment. Flink's scripts do not quote the path of the Python they start,
# so where the project's path has a space the environment lives in the cache folder and .venv is a link to it.
venv_home() {
    local cache=${XDG_CACHE_HOME:-$HOME/.cache}
    if [[ $PWD != *[[:space:]]* ]]; then
        printf '%s/.venv' "$PWD"
    elif [[ $cache != *[[:space:]]* ]]; then
        printf '%s/faultline/venv-%s' "$cache" "$(printf '%s' "$PWD" | cksum | cut -d ' ' -f 1)"
    else
        fail "both this folder and the cache folder have a space in their path, which Flink's scripts cannot take" \
            "set XDG_CACHE_HOME to a folder without a space, or move the project"
    fi
}

# install EXTRAS: makes the virtual environment where it is missing and installs the project with these extras.
install() {
    local home
    home=$(venv_home)
    need_python
    if ! "$home/bin/python" -c 'import pip' 2>/dev/null; then
        python3.11 -m venv --clear "$home"
        [[ $home == "$PWD/.venv" ]] || ln -sfn "$home" .venv
    fi
    printf 'installing faultline[%s] into %s\n' "$1" "$home" >&2
    "$home/bin/python" -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[$1]" ||
        fail "pip could not install faultline[$1]" "see its message above; a network to PyPI is needed the first time"
}

# maven ARGS...: Maven without a terminal, with the JDK found here.
maven() {
    need_java
    need_maven
    mkdir -p .cache
    # One Maven at a time: it does not share its repository well while it downloads. And it resets a terminal's
    # colours at its end even where there is none.
    flock .cache/maven.lock mvn --batch-mode --no-transfer-progress "$@" 2>&1 | sed -u $'s/\e\[0m//g'
}
