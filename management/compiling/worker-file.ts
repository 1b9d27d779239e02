// The location of the compiling thread's program. In a package, it is a bundle next to this one.

const isSource = import.meta.url.endsWith(".ts");

/** The program of the compiling thread. */
export const workerFile = new URL(isSource ? "./worker.ts" : "./management-worker.js", import.meta.url);
