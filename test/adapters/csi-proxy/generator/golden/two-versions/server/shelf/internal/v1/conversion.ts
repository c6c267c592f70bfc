// What of the conversions between shelf v1 and the internal types is written by hand, and which fields are ignored.
