// Modules of Node for the packages that deployments bring along: a deployed module requires nothing but the runtime, and its
// manifest lists this one where a package in it uses Node.

/** A module of Node by its name: `nodeModule("net")`. */
export function nodeModule(name: string): unknown {
  return process.getBuiltinModule(`node:${name}`);
}
