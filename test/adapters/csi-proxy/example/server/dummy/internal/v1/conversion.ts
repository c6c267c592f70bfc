// What of the conversions between dummy v1 and the internal types is written by hand, and which fields are ignored.
