// Types of authentication, authorization and roles. The notation is that of schemas/types.ts.

export const ROLE_TYPES = `
kind ClusterRole: Rights in the whole cluster, or in whichever namespace a binding gives them.
  3 aggregationRule *AggregationRule: Other roles whose rules this one takes over; rules is then the server's.
  2 rules []PolicyRule: What is allowed.
AggregationRule: Which roles to take over rules from.
  1 clusterRoleSelectors []meta.LabelSelector: Selectors of such roles; one that fits is enough.
PolicyRule: Allows some verbs on some resources or paths.
  2 apiGroups []string: Groups of the resources; * is all.
  5 nonResourceURLs []string: Paths that are no resources; may end in *.
  4 resourceNames []string: Only objects of these names; none is all.
  3 resources []string: Plurals, with a subresource after a slash; * is all.
  1 verbs! []string: What may be done; * is everything.
kind ClusterRoleBinding: Gives the rights of a ClusterRole in the whole cluster.
  3 roleRef! RoleRef: The role. It never changes.
  2 subjects []Subject: Who gets the rights.
RoleRef (atomic): Names a role.
  1 apiGroup! string: Group of the role.
  2 kind! string: Role or ClusterRole.
  3 name! string: Name of the role.
Subject (atomic): Names a user, a group or a service account.
  2 apiGroup string: Group of the subject; empty for service accounts.
  1 kind! string: User, Group or ServiceAccount.
  3 name! string: Name of the subject.
  4 namespace string: Namespace of a service account.
kind Role: Rights within one namespace.
  2 rules []PolicyRule: What is allowed.
kind RoleBinding: Gives the rights of a Role or a ClusterRole within one namespace.
  3 roleRef! RoleRef: The role. It never changes.
  2 subjects []Subject: Who gets the rights.
`;

export const AUTHENTICATION_TYPES = `
kind TokenRequest: Asks for a token of a service account.
  2 spec! TokenRequestSpec={}: What the token is for.
  3 status TokenRequestStatus: The token.
TokenRequestSpec: What a token is for.
  1 audiences! []string: Who shall accept the token.
  3 boundObjectRef BoundObjectReference: An object with which the token ends.
  4 expirationSeconds *int64=3600: How long the token is wanted to last.
BoundObjectReference: Names an object that a token depends on.
  2 apiVersion string: Group and version.
  1 kind string: Pod, Secret or Node.
  3 name string: The name.
  4 uid string: The UID.
TokenRequestStatus: A token.
  2 expirationTimestamp! Time: When it ends.
  1 token! string: The token.
kind SelfSubjectReview: Tells who is asking.
  2 status SelfSubjectReviewStatus: Who it is.
SelfSubjectReviewStatus: Who is asking.
  1 userInfo UserInfo: The user, as requests are judged by it.
UserInfo: A user.
  4 extra {}texts: More about the user, by key.
  3 groups []string: Groups the user is in.
  2 uid string: Tells users of one name apart.
  1 username string: The name.
kind TokenReview: Asks whose token it is.
  2 spec! TokenReviewSpec: The token.
  3 status TokenReviewStatus: The answer.
TokenReviewSpec: A token to judge.
  2 audiences []string: Who wants to accept it.
  1 token string: The token.
TokenReviewStatus: What is known about a token.
  4 audiences []string: The requested audiences that may accept it.
  1 authenticated boolean: Whether the token is good.
  3 error string: Why it could not be judged.
  2 user UserInfo: Whose it is.
`;

export const AUTHORIZATION_TYPES = `
kind LocalSubjectAccessReview: Asks whether a user may perform an action in one namespace.
  2 spec! SubjectAccessReviewSpec: The question.
  3 status SubjectAccessReviewStatus: The answer.
SubjectAccessReviewSpec: Whether a user or a group may do something. Either attributes of a resource or others are given.
  5 extra {}texts: More about the user, by key.
  4 groups []string: Groups that are asked about.
  2 nonResourceAttributes NonResourceAttributes: What would be done on a path.
  1 resourceAttributes ResourceAttributes: What would be done on a resource.
  6 uid string: UID of the user.
  3 user string: The user that is asked about.
NonResourceAttributes: A request for a path that is no resource.
  1 path string: The path.
  2 verb string: The method, in lower case.
ResourceAttributes: A request for a resource.
  8 fieldSelector FieldSelectorAttributes: The selection by fields.
  3 group string: The group; * is all.
  9 labelSelector LabelSelectorAttributes: The selection by labels.
  7 name string: The name; none is all.
  1 namespace string: The namespace; none is all, or none.
  5 resource string: The plural; * is all.
  6 subresource string: The subresource.
  2 verb string: The verb; * is all.
  4 version string: The version; * is all.
FieldSelectorAttributes: A selection by fields, as text or in parts.
  1 rawSelector string: The text of the query.
  2 requirements []meta.FieldSelectorRequirement: The parts.
LabelSelectorAttributes: A selection by labels, as text or in parts.
  1 rawSelector string: The text of the query.
  2 requirements []meta.LabelSelectorRequirement: The parts.
SubjectAccessReviewStatus: Whether it is allowed.
  1 allowed! boolean: True when it is.
  4 denied boolean: True when it is refused for good.
  3 evaluationError string: What went wrong while it was judged.
  2 reason string: Why.
kind SelfSubjectAccessReview: Asks whether one may do something oneself.
  2 spec! SelfSubjectAccessReviewSpec: The question.
  3 status SubjectAccessReviewStatus: The answer.
SelfSubjectAccessReviewSpec: Whether one may do something. Either attributes of a resource or others are given.
  2 nonResourceAttributes NonResourceAttributes: What would be done on a path.
  1 resourceAttributes ResourceAttributes: What would be done on a resource.
kind SelfSubjectRulesReview: Asks what one may do in a namespace.
  2 spec! SelfSubjectRulesReviewSpec: The namespace.
  3 status SubjectRulesReviewStatus: What is allowed.
SelfSubjectRulesReviewSpec: Which namespace is asked about.
  1 namespace string: The namespace.
SubjectRulesReviewStatus: What is allowed in a namespace.
  4 evaluationError string: What went wrong while it was found out.
  3 incomplete! boolean: Whether there may be more.
  2 nonResourceRules! []NonResourceRule: What is allowed on paths.
  1 resourceRules! []ResourceRule: What is allowed on resources.
NonResourceRule: Allows some verbs on some paths.
  2 nonResourceURLs []string: The paths; may end in *.
  1 verbs! []string: What may be done.
ResourceRule: Allows some verbs on some resources.
  2 apiGroups []string: Groups of the resources; * is all.
  4 resourceNames []string: Only objects of these names; none is all.
  3 resources []string: Plurals, with a subresource after a slash; * is all.
  1 verbs! []string: What may be done.
kind SubjectAccessReview: Asks whether a user may perform an action.
  2 spec! SubjectAccessReviewSpec: The question.
  3 status SubjectAccessReviewStatus: The answer.
`;
