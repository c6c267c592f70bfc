// Hand-written conversions between smb v1 and the internal types, and the ignored fields.
