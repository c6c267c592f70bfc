// What of the conversions between disk v1beta3 and the internal types is written by hand, and which fields are ignored.
