// Provides the modules of the runtime to the part of the compiler that runs compiled code. Modules are loaded on
// demand: a mapping without regular expressions loads no engine for them. The playground replaces this file with
// loaders of its own, so it contains nothing else.

import { createRequire } from "node:module";

// `require` of an ES module is synchronous, unlike `import()`; no runtime module uses top-level await.
const require = createRequire(import.meta.url);

/** Sources are next to the runtime; the bundle has its own copy, because Node reads no TypeScript in packages. */
const isSource = import.meta.url.endsWith(".ts");

/** The runtime modules that the compiler uses by name. */
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
  readonly "runtime/process/machine-files.ts": typeof import("../../runtime/process/machine-files.ts");
  readonly "runtime/gateway/serve.ts": typeof import("../../runtime/gateway/serve.ts");
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
  readonly "runtime/mapping/operators.ts": typeof import("../../runtime/mapping/operators.ts");
  readonly "runtime/mapping/environment.ts": typeof import("../../runtime/mapping/environment.ts");
  readonly "runtime/mapping/nested.ts": typeof import("../../runtime/mapping/nested.ts");
  readonly "runtime/mapping/text.ts": typeof import("../../runtime/mapping/text.ts");
  readonly "runtime/mapping/run.ts": typeof import("../../runtime/mapping/run.ts");
}

/** Returns a module of the runtime, such as `runtime/message/message.ts`. */
export function loadRuntime<M extends keyof RuntimeModules>(module: M): RuntimeModules[M] {
  // The table above defines the type of each module.
  return loadModule(module) as RuntimeModules[M];
}

/** Returns `sluice/component` in the form that packages of components import. */
export function loadComponentApi(): object {
  return require(isSource ? "../../component/component.ts" : "./runtime/package/component.js");
}

/** Returns any module of the runtime by the path that emitted code imports it by. */
export function loadModule(module: string): Readonly<Record<string, unknown>> {
  return require(isSource ? `../../${module}` : `./${module.replace(/\.ts$/, ".js")}`);
}
