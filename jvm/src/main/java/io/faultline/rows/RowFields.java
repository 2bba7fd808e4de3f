package io.faultline.rows;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.apache.flink.api.common.typeinfo.BasicTypeInfo;
import org.apache.flink.api.common.typeinfo.SqlTimeTypeInfo;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.java.typeutils.RowTypeInfo;

/** What the fields of a row are to a condition. */
final class RowFields {
  private static final Set<TypeInformation<?>> NUMBERS =
      Set.of(
          BasicTypeInfo.BYTE_TYPE_INFO,
          BasicTypeInfo.SHORT_TYPE_INFO,
          BasicTypeInfo.INT_TYPE_INFO,
          BasicTypeInfo.LONG_TYPE_INFO,
          BasicTypeInfo.FLOAT_TYPE_INFO,
          BasicTypeInfo.DOUBLE_TYPE_INFO,
          BasicTypeInfo.BIG_INT_TYPE_INFO,
          BasicTypeInfo.BIG_DEC_TYPE_INFO,
          BasicTypeInfo.INSTANT_TYPE_INFO,
          SqlTimeTypeInfo.TIMESTAMP);

  private RowFields() {}

  /** Name to number, text, truth, or the type that no condition can look at. */
  static Map<String, String> kinds(RowTypeInfo row) {
    Map<String, String> kinds = new LinkedHashMap<>();
    for (String name : row.getFieldNames()) {
      kinds.put(name, kind(row.getTypeAt(name)));
    }
    return kinds;
  }

  private static String kind(TypeInformation<?> type) {
    if (NUMBERS.contains(type)) {
      return "number";
    }
    if (type.equals(BasicTypeInfo.STRING_TYPE_INFO)) {
      return "text";
    }
    return type.equals(BasicTypeInfo.BOOLEAN_TYPE_INFO) ? "truth" : type.toString();
  }
}
