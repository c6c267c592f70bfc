// What of the conversions between volume v2alpha1 and the internal types is written by hand, and which fields are ignored.
