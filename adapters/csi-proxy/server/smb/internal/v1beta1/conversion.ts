// What of the conversions between smb v1beta1 and the internal types is written by hand, and which fields are ignored.

export const ignoredFields = {
  NewSmbGlobalMappingResponse: { error: 'what goes wrong is the status of the call' },
  RemoveSmbGlobalMappingResponse: { error: 'what goes wrong is the status of the call' },
};
