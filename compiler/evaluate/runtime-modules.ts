// Gives the modules of the runtime to the one part of the compiler that runs what it compiled. They are
// loaded when they are first asked for: a mapping without regular expressions loads no engine for them. The playground has
// loaders of its own in place of this file, so nothing else stands here.

import { createRequire } from "node:module";

// `require` of an ES module is synchronous, which `import()` cannot be; no runtime module awaits at load.
const require = createRequire(import.meta.url);

/** Sources lie beside their runtime; the bundle has its own copy, as Node reads no TypeScript in packages. */
const isSource = import.meta.url.endsWith(".ts");

/** Modules that are known by name here. */
interface RuntimeModules {
  readonly "runtime/errors.ts": typeof import("../../runtime/errors.ts");
  readonly "runtime/message/message.ts": typeof import("../../runtime/message/message.ts");
  readonly "runtime/component/pipeline.ts": typeof import("../../runtime/component/pipeline.ts");
  readonly "runtime/message/value.ts": typeof import("../../runtime/message/value.ts");
  readonly "runtime/message/json.ts": typeof import("../../runtime/message/json.ts");
  readonly "runtime/message/json-print.ts": typeof import("../../runtime/message/json-print.ts");
  readonly "runtime/process/environment.ts": typeof import("../../runtime/process/environment.ts");
  readonly "runtime/message/timestamp.ts": typeof import("../../runtime/message/timestamp.ts");
  readonly "runtime/process/log.ts": typeof import("../../runtime/process/log.ts");
  readonly "runtime/process/inherited-sockets.ts": typeof import("../../runtime/process/inherited-sockets.ts");
  readonly "runtime/process/listen-address.ts": typeof import("../../runtime/process/listen-address.ts");
  readonly "runtime/process/start-problems.ts": typeof import("../../runtime/process/start-problems.ts");
  readonly "runtime/probe/probe.ts": typeof import("../../runtime/probe/probe.ts");
  readonly "runtime/probe/probe-failures.ts": typeof import("../../runtime/probe/probe-failures.ts");
  readonly "runtime/http/listener/certificates.ts": typeof import("../../runtime/http/listener/certificates.ts");
  readonly "runtime/process/certificate-validity.ts": typeof import("../../runtime/process/certificate-validity.ts");
  readonly "runtime/process/tls.ts": typeof import("../../runtime/process/tls.ts");
  readonly "runtime/gateway/artifact/artifact-folder.ts": typeof import("../../runtime/gateway/artifact/artifact-folder.ts");
  readonly "runtime/gateway/artifact/signature.ts": typeof import("../../runtime/gateway/artifact/signature.ts");
  readonly "runtime/gateway/artifact/manifest.ts": typeof import("../../runtime/gateway/artifact/manifest.ts");
  readonly "runtime/processors/mapping.ts": typeof import("../../runtime/processors/mapping.ts");
  readonly "runtime/resources/memory-cache.ts": typeof import("../../runtime/resources/memory-cache.ts");
  readonly "runtime/mapping/regexp.ts": typeof import("../../runtime/mapping/regexp.ts");
  readonly "runtime/mapping/arguments.ts": typeof import("../../runtime/mapping/arguments.ts");
  readonly "runtime/mapping/failures.ts": typeof import("../../runtime/mapping/failures.ts");
  readonly "runtime/mapping/files.ts": typeof import("../../runtime/mapping/files.ts");
  readonly "runtime/mapping/geoip.ts": typeof import("../../runtime/mapping/geoip.ts");
  readonly "runtime/mapping/nested.ts": typeof import("../../runtime/mapping/nested.ts");
  readonly "runtime/mapping/text.ts": typeof import("../../runtime/mapping/text.ts");
  readonly "runtime/mapping/run.ts": typeof import("../../runtime/mapping/run.ts");
}

/** A module of the runtime, `runtime/message/message.ts`. */
export function loadRuntime<M extends keyof RuntimeModules>(module: M): RuntimeModules[M] {
  // The table above says what each module is.
  return loadModule(module) as RuntimeModules[M];
}

/** `sluice/component` as packages of components import it. */
export function loadComponentApi(): object {
  return require(isSource ? "../../component/component.ts" : "./runtime/package/component.js");
}

/** Any module of the runtime, by the path that emitted code imports it by. */
export function loadModule(module: string): Readonly<Record<string, unknown>> {
  return require(isSource ? `../../${module}` : `./${module.replace(/\.ts$/, ".js")}`);
}
