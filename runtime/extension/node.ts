// Provides Node's modules to packages that deployments bring along: a deployed module requires only the runtime, and
// its manifest lists this module if one of its packages uses Node.

/** Returns a Node module by its name: `nodeModule("net")`. */
export function nodeModule(name: string): unknown {
  return process.getBuiltinModule(`node:${name}`);
}
