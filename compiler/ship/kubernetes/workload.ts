// The names and numbers from which the manifests of a gateway are made.

import type { Manifest } from "../../emit/manifest.ts";
import type { ObjectPlan, Plan, ValuePlan } from "../../plan/plan.ts";
import { singleStreamsOf } from "../../plan/spread.ts";
import { type GroupTopic, groupTopicsOf, type TextOrVariable } from "../consumer-groups.ts";
import { destinationsOf, type NetworkDestination } from "../destinations.ts";
import { workloadName } from "../workload-name.ts";

/** A gateway in a cluster. */
export interface Workload {
  readonly name: string;
  readonly image: string;
  readonly isSecure: boolean;
  readonly hasPortal: boolean;
  /** Variables from a Secret. */
  readonly variables: readonly { readonly name: string; readonly required: boolean }[];
  /** Paths of mounted secrets, with the key of each in its Secret. */
  readonly secretFiles: readonly { readonly path: string; readonly key: string }[];
  /** The folder of the listener's certificate and the names of its files, if the settings contain them as literals. */
  readonly certificate?: { readonly folder: string; readonly items: Readonly<Record<string, string>> };
  /** `api.stream` of streams that only one replica may run. */
  readonly single: readonly string[];
  readonly destinations: readonly NetworkDestination[];
  readonly groups: readonly GroupTopic[];
}

/** Ports of the container. */
export const ports = { gateway: 8080, admin: 8081, portal: 8082 } as const;

/** Seconds; see `terminationGrace`. */
const drainDelay = 10;
const shutdownTimeout = 30;

/** Returns the environment variables of every gateway in a cluster, which do not depend on its settings. */
export function clusterEnvironment({ name, hasPortal }: Workload): Readonly<Record<string, string>> {
  return {
    GW_LISTEN: `0.0.0.0:${ports.gateway}`,
    GW_ADMIN_LISTEN: `0.0.0.0:${ports.admin}`,
    GW_ADMIN_HOSTS: `${name}-admin`,
    ...(hasPortal && { GW_PORTAL_LISTEN: `0.0.0.0:${ports.portal}` }),
    GW_DRAIN_DELAY: `${drainDelay}s`,
    GW_SHUTDOWN_TIMEOUT: `${shutdownTimeout}s`,
  };
}

/** Readiness probes: two failures remove a pod from the Service within 6 of the 10 seconds of the drain delay. */
export const readiness = { periodSeconds: 3, failureThreshold: 2 } as const;

/** Seconds until a pod is killed: the maximum time to stop, plus a margin. */
export const terminationGrace = drainDelay + shutdownTimeout + 10;

/** Variables that Secrets and containers can hold. */
const variablePattern = /^[a-zA-Z_][a-zA-Z0-9_]{0,252}$/;

/** Returns the workload of a build whose image is named `image`. */
export function workloadOf(plan: Plan, manifest: Manifest, image: string | undefined): Workload {
  const name = workloadName(manifest);
  const { tls, portal, store, counters } = plan.settings;
  const groups = groupTopicsOf(plan);
  // Replicas share records and counters, so a file or memory of one pod is not enough; and KEDA does not know the
  // defaults.
  const needed = new Set([
    ...groups.flatMap(({ brokers, group, topic }) => [brokers, group, topic]).flatMap(variableOf),
    ...(store === undefined ? [] : ["GW_STORE_URL"]),
    ...(counters === undefined || fieldOf(counters, "redis") !== undefined ? [] : ["GW_REDIS_URL"]),
  ]);
  const variables = manifest.environment
    .filter((each) => variablePattern.test(each.name) && each.name !== "GW_PORTAL_LISTEN")
    .map((each) => ({ name: each.name, required: each.required || needed.has(each.name) }));
  const certificate = certificateOf(tls);
  return {
    name,
    image: image ?? `${name}:latest`,
    isSecure: tls !== undefined,
    hasPortal: portal !== undefined && isWritten(portal, "listen"),
    variables: [{ name: "GW_ADMIN_TOKEN", required: true }, ...variables],
    secretFiles: keysOf(manifest.secretFiles),
    ...(certificate !== undefined && { certificate }),
    single: singleStreamsOf(plan),
    destinations: destinationsOf(plan),
    groups,
  };
}

function variableOf(value: TextOrVariable | undefined): readonly string[] {
  return value !== undefined && "variable" in value ? [value.variable] : [];
}

function fieldOf({ fields }: ObjectPlan, name: string): ValuePlan | undefined {
  return fields.find((field) => field.name === name)?.value;
}

function isWritten({ fields }: ObjectPlan, name: string): boolean {
  return fields.some((field) => field.name === name && !field.defaulted);
}

/**
 * Returns keys of a Secret, which resemble file names; files with the same name in different folders get different
 * keys.
 */
function keysOf(paths: readonly string[]): Workload["secretFiles"] {
  const keys = new Set<string>();
  return paths.map((path) => {
    const base =
      path
        .slice(path.lastIndexOf("/") + 1)
        .replace(/[^\w.-]/g, "_")
        .slice(0, 200) || "file";
    let key = base;
    for (let number = 2; keys.has(key); number += 1) key = `${base}-${number}`;
    keys.add(key);
    return { path, key };
  });
}

/**
 * Returns the certificate if all files are known and in one folder, so that a Secret of type `kubernetes.io/tls` can be
 * used.
 */
function certificateOf(tls: ObjectPlan | undefined): Workload["certificate"] {
  if (tls === undefined) return undefined;
  const fields = { "tls.crt": "cert_file", "tls.key": "key_file", "ca.crt": "client_ca_file" };
  const paths = Object.entries(fields).flatMap(([key, field]) => {
    const value = fieldOf(tls, field);
    const path = value?.kind === "Literal" && typeof value.value === "string" ? value.value : undefined;
    return value === undefined || path === "" ? [] : [{ key, path }];
  });
  const folders = new Set(paths.map(({ path }) => /^(\/.+)\/[^/]+$/.exec(path ?? "")?.[1]));
  const [folder] = folders;
  if (folders.size !== 1 || folder === undefined) return undefined;
  const items = paths.map(({ key, path = "" }) => [key, path.slice(folder.length + 1)] as const);
  return { folder, items: Object.fromEntries(items) };
}
