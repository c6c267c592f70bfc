// What of the conversions between smb v1 and the internal types is written by hand, and which fields are ignored.
