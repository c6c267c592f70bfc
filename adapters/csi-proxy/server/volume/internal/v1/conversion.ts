// What of the conversions between volume v1 and the internal types is written by hand, and which fields are ignored.
