package io.faultline.records;

import javax.annotation.Nullable;

/** One header of a record, as it came. Several headers of a record may have one name. */
public record Header(String name, @Nullable byte[] value) {}
