package io.faultline.decode;

/**
 * Prometheus samples of the plainest form, without a parser and without building any text: of
 * series that the parser has read once, by the bytes of their labels.
 */
final class PrometheusPlain {
  private static final long LABELS = PlainJson.key("labels");
  private static final long NAME = PlainJson.key("name");
  private static final long VALUE = PlainJson.key("value");
  private static final byte[] TIMESTAMP = {'t', 'i', 'm', 'e', 's', 't', 'a', 'm', 'p'};
  private static final int LONGEST = 64;

  private final PrometheusCatalog catalog;
  private final PlainJson json = new PlainJson();
  private final Decimals decimals = new Decimals();
  private final char[] text = new char[LONGEST];
  private int labelsFrom;
  private int labelsTo;
  private int nameFrom;
  private int nameTo;
  private boolean hasValue;
  private double value;
  private boolean hasTime;
  private long time;

  PrometheusPlain(PrometheusCatalog catalog) {
    this.catalog = catalog;
  }

  /** See {@link JsonRecords.Reader#readPlain}. */
  int read(byte[] bytes, int brace, Decoder.Output out) {
    labelsTo = nameTo = 0;
    hasValue = hasTime = false;
    json.begin(bytes, brace);
    while (!json.closed()) {
      if (!json.next() || !field(bytes) || !json.more()) {
        return -1;
      }
    }
    if (labelsTo == 0 || nameTo == 0 || !hasValue || !hasTime || !Times.isValid(time)) {
      return -1;
    }
    PrometheusSeries series = catalog.find(bytes, labelsFrom, labelsTo, nameFrom, nameTo);
    if (series == null) {
      return -1;
    }
    series.emit(time, value, out);
    return json.position();
  }

  /** Reads one field; false where it is unknown, there twice, wrong or not plain. */
  private boolean field(byte[] bytes) {
    long key = json.key();
    if (key == LABELS) {
      boolean first = labelsTo == 0;
      boolean read = json.readFlatObject();
      labelsFrom = json.from();
      labelsTo = json.to();
      return first && read;
    }
    if (key == NAME) {
      boolean first = nameTo == 0;
      boolean read = json.readText();
      nameFrom = json.from();
      nameTo = json.to();
      return first && read;
    }
    if (key == VALUE) {
      boolean first = !hasValue;
      hasValue = readValue(bytes);
      return first && hasValue;
    }
    return key == 0 && json.isNamed(TIMESTAMP) && readTime(bytes);
  }

  private boolean readValue(byte[] bytes) {
    if (!json.starts('"')) {
      boolean read = json.readNumber();
      value = json.real();
      return read;
    }
    if (!json.readText() || !copy(bytes)) {
      return false;
    }
    int length = json.to() - json.from();
    boolean read = decimals.read(text, 0, length) == Decimals.Problem.NONE;
    value = decimals.value();
    return read;
  }

  private boolean readTime(byte[] bytes) {
    if (hasTime || !json.readText() || !copy(bytes)) {
      return false;
    }
    hasTime = true;
    time = Rfc3339.parse(text, 0, json.to() - json.from());
    return true;
  }

  /** The text read last, as characters; false where it is too long. */
  private boolean copy(byte[] bytes) {
    int length = json.to() - json.from();
    if (length > LONGEST) {
      return false;
    }
    for (int i = 0; i < length; i++) {
      text[i] = (char) bytes[json.from() + i];
    }
    return true;
  }
}
