// Types that all groups share. The notation is that of types.ts.

export const META_TYPES = `
ObjectMeta: What every object has, whatever its kind: its name and how it came to be.
  12 annotations {}string: Remarks for programs and people, by key. Nothing is selected by them.
  8 creationTimestamp Time: When the server stored the object first.
  10 deletionGracePeriodSeconds *int64: Seconds given to end in good order; set together with deletionTimestamp.
  9 deletionTimestamp Time: When the deletion was asked for. The object goes once no finalizer is left.
  14 finalizers [set]string: Keys that must be removed before the object is deleted; each owner removes its own entry.
  2 generateName string: What a name that the server completes begins with; used where name is empty.
  7 generation int64: Counts the changes of what is wanted. Set by the server.
  11 labels {}string: Marks by which objects are selected, by key.
  17 managedFields []ManagedFieldsEntry: Which fields each writer set last. Kept by the server.
  1 name string: The name, unique within its namespace and kind. It never changes.
  3 namespace string: The namespace the object is in; empty for kinds of the whole cluster.
  13 ownerReferences [uid]OwnerReference: The owners of this object: when all of them are deleted, it is deleted too.
  6 resourceVersion string: Which version of the object this is; compared for equality only.
  4 selfLink string: No longer set.
  5 uid string: Identifies the object among all that ever were. Set by the server.
ManagedFieldsEntry: The fields that one writer set in one way.
  3 apiVersion string: Version in which the fields are named.
  6 fieldsType string: The format of the fields; FieldsV1 is the only one.
  7 fieldsV1 FieldsV1: The fields, as a tree.
  1 manager string: The writer.
  2 operation string: Apply or Update.
  8 subresource string: The subresource that was written, empty for the object itself.
  4 time Time: When the entry changed last.
FieldsV1: A set of fields: keys that begin with f: are fields, those with k: and v: are items of lists.
OwnerReference (atomic): Names an owner in the same namespace, or one of the whole cluster.
  5 apiVersion! string: Version of the owner's group.
  7 blockOwnerDeletion *boolean: Whether the owner, deleted in the foreground, waits for this object.
  6 controller *boolean: Whether the owner manages this object. At most one does.
  1 kind! string: Kind of the owner.
  3 name! string: Name of the owner.
  4 uid! string: UID of the owner.
DeleteOptions: How to delete.
  5 dryRun []string: All, to try without doing it.
  1 gracePeriodSeconds *int64: Seconds to end in good order.
  6 ignoreStoreReadErrorWithClusterBreakingPotential *boolean: Whether to remove what cannot be read.
  3 orphanDependents *boolean: Replaced by propagationPolicy.
  2 preconditions Preconditions: What must hold of the object.
  4 propagationPolicy *string: What becomes of dependents: Orphan, Background or Foreground.
Preconditions: What must hold of an object before it is deleted.
  2 resourceVersion string: The version it must have.
  1 uid string: The UID it must have.
ListMeta: What every list has.
  3 continue string: Names the next page; empty on the last.
  4 remainingItemCount *int64: How many more there are, where that is known.
  2 resourceVersion string: The revision that the list shows, to watch from.
  1 selfLink string: No longer set.
Status: The outcome of a request that returns no object.
  1 metadata ListMeta: What every list has.
  2 status string: Success or Failure.
  3 message string: What happened, for people.
  4 reason string: What happened, in one word.
  5 details StatusDetails: What it is about.
  6 code int32: The HTTP status code.
StatusDetails: What an outcome is about.
  1 name string: Name of the object.
  2 group string: Group of the object.
  3 kind string: Kind, or plural, of the object.
  4 causes []StatusCause: One entry a fault.
  5 retryAfterSeconds int32: Least wait before another try.
  6 uid string: UID of the object.
StatusCause: One fault.
  1 reason string: Which fault, in one word.
  2 message string: Which fault, for people.
  3 field string: The field at fault.
LabelSelector (atomic): Selects objects that satisfy all requirements. An empty one selects everything.
  2 matchExpressions []LabelSelectorRequirement: Requirements, all of which must hold.
  1 matchLabels {}string: Labels with the values they must have.
LabelSelectorRequirement: What must hold of one label.
  1 key! string: The label.
  2 operator! string: In, NotIn, Exists or DoesNotExist.
  3 values []string: The values that In and NotIn compare with.
FieldSelectorRequirement: What must hold of one field.
  1 key! string: The field.
  2 operator! string: In, NotIn, Exists or DoesNotExist.
  3 values []string: The values that In and NotIn compare with.
`;
