// What of the conversions between filesystem v1beta2 and the internal types is written by hand, and which fields are ignored.
