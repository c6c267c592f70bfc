// What of the conversions between iscsi v1alpha2 and the internal types is written by hand, and which fields are ignored.
