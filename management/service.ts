// Starts and stops the service.

import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { SettingsText } from "../compiler/compile-definition.ts";
import { GatewayError } from "../runtime/errors.ts";
import type { ArtifactSource } from "../runtime/gateway/artifact/source.ts";
import type { ChainStep } from "../runtime/http/call.ts";
import { secureListener } from "../runtime/http/listener/secure.ts";
import { listenerLimits } from "../runtime/http/listener-limits.ts";
import { createGatewayServer } from "../runtime/middleware/server.ts";
import { EnvironmentError } from "../runtime/process/environment.ts";
import { listen } from "../runtime/process/listen-address.ts";
import type { Logger } from "../runtime/process/log.ts";
import { bodyBudget } from "../runtime/process/memory/body-budget.ts";
import { createRouter, type RestRouter } from "../runtime/rest/router.ts";
import { authorise } from "./access/access.ts";
import { Compiler } from "./compiling/compiler.ts";
import { Changes } from "./definitions/changes.ts";
import { DefinitionDeployer } from "./deployments/deployer.ts";
import { storeSource } from "./deployments/source.ts";
import type { ManagedOperation, ManagementServices } from "./operation.ts";
import { operations } from "./operations/operations.ts";
import { servePage } from "./page/page.ts";
import type { ServiceSettings } from "./settings.ts";
import { createServiceSignOn, type ServiceSignOn } from "./sign-on/sign-on.ts";
import { openManagementStore } from "./store/open.ts";
import { Tails } from "./streams/tails.ts";

/** A running service. */
export interface RunningService {
  /** The URL of the service. */
  readonly address: string;
  /** The deployments, for a gateway in the same process. */
  readonly source: ArtifactSource;
  /** Stops accepting connections, finishes the requests in progress and closes the store. Can be called repeatedly. */
  close(): Promise<void>;
}

/** The path of the operations. */
const apiPath = "/api";

/** The installed program. */
export interface Installation {
  /** The digest of the runtime that gateways use, `sha256-…`. */
  readonly runtime: string;
  /** The version of this compiler. Modules of other versions are not reused. */
  readonly version: string;
  /** The program of the compiling thread. */
  readonly compilingThread: URL;
}

/**
 * Opens the store and listens. Rejects with an `EnvironmentError` if the settings of the gateways are not valid, with a
 * `GatewayError` of the store, or with the error of the listener.
 */
export async function startService(
  settings: ServiceSettings,
  installation: Installation,
  log: Logger,
): Promise<RunningService> {
  bodyBudget.limit = settings.maxBytesInFlight;
  const gateway = settings.gatewayFile === undefined ? undefined : readGatewayFile(settings.gatewayFile);
  const compiler = new Compiler({
    program: installation.compilingThread,
    ...(gateway && { settings: gateway }),
    maximumBytes: settings.maxBodyBytes,
    timeout: settings.checkTimeout,
    log,
  });
  await refuseWrongSettings(compiler);
  const store = await openManagementStore(settings.store, log).catch(async (error: unknown) => {
    await compiler.close();
    throw error;
  });
  const { signingKey, tenants } = settings;
  const known = [installation.version, gateway?.text ?? "", tenants.fingerprint];
  const basis = hash("sha256", JSON.stringify(known), "hex");
  const building = { store, compiler, basis, tenants };
  const deployer = new DefinitionDeployer({ building, runtime: installation.runtime, signingKey, log });
  const changes = new Changes(building, () => deployer.wake());
  const tails = new Tails(settings.tail?.redact ?? []);
  const services: ManagementServices = { log, store, settings, changes, deployer, compiler, tails, tenants };
  const ending = new AbortController();
  try {
    const signOn = signOnOf(services, ending.signal);
    const { tls } = settings;
    const chain = serve(routerOf(services, signOn), signOn);
    const server = createGatewayServer({
      chain: tls === undefined ? chain : withStrictTransport(chain),
      log,
      limits: listenerLimits({}, 1),
      listener: tls && secureListener(tls),
    });
    const close = async () => {
      server.stopAccepting();
      ending.abort();
      tails.close();
      await deployer.close();
      await server.close(settings.shutdownTimeout);
      await compiler.close();
      await store.close();
    };
    const { scheme } = server;
    const address = await listen(server.server, settings.listen, {
      scheme,
      variable: "GW_MANAGEMENT_LISTEN",
    });
    log.info("listening", { management: address });
    deployer.start();
    if (!settings.streaming) {
      log.warn("streaming is switched off", {
        remedy: "streaming.enabled or GW_MANAGEMENT_STREAMING_ENABLED",
      });
    }
    let closing: Promise<void> | undefined;
    return {
      address,
      source: storeSource(store, deployer, tails),
      close() {
        closing ??= close();
        return closing;
      },
    };
  } catch (error) {
    ending.abort();
    await compiler.close();
    await store.close();
    throw error;
  }
}

/** Reads the `gateway.yaml`. Diagnostics refer to it by that name. */
function readGatewayFile(path: string): SettingsText {
  try {
    return { path: "gateway.yaml", text: readFileSync(path, "utf8"), location: path };
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : "unknown error";
    throw new EnvironmentError([`${path} cannot be read (${code})`]);
  }
}

async function refuseWrongSettings(compiler: Compiler): Promise<void> {
  const { diagnostics, isRefused } = await compiler.compile({ kind: "process" });
  if (!isRefused) return;
  await compiler.close();
  const wrong = diagnostics.filter(({ severity }) => severity === "error");
  throw new EnvironmentError(
    wrong.map(({ line, column, code, message }) => `gateway.yaml:${line}:${column} ${code}: ${message}`),
  );
}

function signOnOf(
  { settings, store, log }: ManagementServices,
  signal: AbortSignal,
): ServiceSignOn | undefined {
  const { signOn, organisation } = settings;
  return signOn && createServiceSignOn(signOn, { organisation, store, log, signal });
}

function routerOf(services: ManagementServices, signOn: ServiceSignOn | undefined): RestRouter {
  const { settings, store } = services;
  const present = operations.filter(({ isStreaming }) => settings.streaming || !isStreaming);
  const byOperation = new Map(present.map((each) => [each.operation, each]));
  return createRouter({
    operations: present.map(({ operation }) => operation),
    path: apiPath,
    description: {
      title: "Management",
      description: "Streaming APIs, their deployments and the states of their streams.",
    },
    authorise(request, operation) {
      const managed = operation && byOperation.get(operation);
      return authorise(request, managed && neededFor(managed, settings), {
        access: settings.access,
        store,
        signOn,
      });
    },
    services,
    maxBodyBytes: settings.maxBodyBytes,
  });
}

function neededFor(
  { permission, isPerApi, isOfInstallation }: ManagedOperation,
  { organisation }: ServiceSettings,
) {
  return { permission, isPerApi, ...(isOfInstallation && { organisation }) };
}

function serve(router: RestRouter, signOn: ServiceSignOn | undefined): ChainStep {
  return async (call) => {
    const { path, transport, request } = call;
    if (path.segments[0] !== "api") {
      const result = (await signOn?.step(call)) ?? "next";
      return result === "next" ? servePage(call) : result;
    }
    if (transport.kind !== "http") return new GatewayError(404, "not found");
    return router(request, transport.response).then(() => "done");
  };
}

/** One year, the time that browsers remember it (RFC 6797, section 6.1). */
const strictTransport = "max-age=31536000";

/** Tells browsers to use only TLS for this host. */
function withStrictTransport(chain: ChainStep): ChainStep {
  return (call) => {
    const { transport } = call;
    if (transport.kind === "http") transport.response.setHeader("strict-transport-security", strictTransport);
    return chain(call);
  };
}
