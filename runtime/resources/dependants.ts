// Resources that are made of other resources.

/**
 * What is made, and what `make` makes of it, under one name each. Used by emitted code, which cannot name an object while
 * that is made.
 */
export function withDependants<Made extends object, Dependants extends object>(
  made: Made,
  make: (resources: Made) => Dependants,
): Made & Dependants {
  return { ...made, ...make(made) };
}
