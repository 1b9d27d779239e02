// Creates resources that consist of other resources.

/**
 * Returns `made` and the result of `make`, which uses it, in one object. Used by emitted code, which cannot refer to
 * an object by name while it is being created.
 */
export function withDependants<Made extends object, Dependants extends object>(
  made: Made,
  make: (resources: Made) => Dependants,
): Made & Dependants {
  return { ...made, ...make(made) };
}
