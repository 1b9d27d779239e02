// Which connections the pods of a gateway may have, and who reads their numbers.

import { isIP } from "node:net";
import type { NetworkDestination } from "../destinations.ts";
import { clientPorts, type KubernetesObject, metadataOf, selectorOf } from "./deployment.ts";
import { ports, type Workload } from "./workload.ts";

/** Lets in clients and Prometheus; lets out to DNS and to what the documents name. */
export function networkPolicy(workload: Workload): KubernetesObject {
  const prometheus = {
    namespaceSelector: {},
    podSelector: { matchLabels: { "app.kubernetes.io/name": "prometheus" } },
  };
  const clients = clientPorts(workload).map(({ port }) => tcp(port));
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata: metadataOf(workload),
    spec: {
      podSelector: { matchLabels: selectorOf(workload) },
      policyTypes: ["Ingress", "Egress"],
      ingress: [{ ports: clients }, { from: [prometheus], ports: [tcp(ports.admin)] }],
      egress: [{ ports: [{ protocol: "UDP", port: 53 }, tcp(53)] }, ...egressRules(workload)],
    },
  };
}

/** Connections out, besides those to DNS. */
export function egressRules(workload: Workload): readonly KubernetesObject[] {
  const rules = destinationsOf(workload).map(egressTo);
  return [...new Map(rules.map((rule) => [JSON.stringify(rule), rule])).values()];
}

/** With those that subscribers of webhooks choose. */
function destinationsOf({ destinations, variables }: Workload): readonly NetworkDestination[] {
  const hasPortal = variables.some(({ name }) => name === "GW_PORTAL_ACCESS_TOKENS");
  const has = (name: string) => variables.some((each) => each.name === name);
  const assumed = (port: number, from: string) => ({ port, from, isAssumed: true });
  return [
    ...destinations,
    ...(hasPortal ? [assumed(80, "webhooks"), assumed(443, "webhooks")] : []),
    ...(has("GW_REDIS_URL") ? [assumed(6379, "${GW_REDIS_URL}")] : []),
    ...(has("GW_STORE_URL") ? [assumed(5432, "${GW_STORE_URL}")] : []),
    ...(has("GW_SMTP_URL") ? [assumed(587, "${GW_SMTP_URL}")] : []),
  ];
}

/** What each rule is for, for the head of the file. */
export function describeEgress(workload: Workload): readonly string[] {
  return destinationsOf(workload).map(({ from, port, isAssumed }) =>
    isAssumed
      ? `${from}: assumed to be on port ${port}; change the rule where it is another`
      : `${from}: port ${port}`,
  );
}

/** Policies know pods and addresses, not names: a name outside of the cluster opens its port to every address. */
function egressTo({ host = "", port }: NetworkDestination): KubernetesObject {
  const address = host.replace(/^\[|\]$/g, "");
  const family = isIP(address);
  // Brokers name further addresses to clients that have found one, but addresses in URLs are meant.
  if (family !== 0)
    return { to: [{ ipBlock: { cidr: `${address}/${family === 4 ? 32 : 128}` } }], ports: [tcp(port)] };
  const namespace = /^[a-z0-9-]+\.([a-z0-9-]+)\.svc(?:\.|$)/.exec(host)?.[1];
  if (namespace === undefined) return { ports: [tcp(port)] };
  const matchLabels = { "kubernetes.io/metadata.name": namespace };
  // The port of a Service may be another one than that of its pods, which the policy is about.
  return { to: [{ namespaceSelector: { matchLabels } }] };
}

function tcp(port: number) {
  return { protocol: "TCP", port };
}

/** For the operator of Prometheus: `/metrics` of every pod, with the token of the listener. */
export function serviceMonitor(workload: Workload): KubernetesObject {
  const { name } = workload;
  return {
    apiVersion: "monitoring.coreos.com/v1",
    kind: "ServiceMonitor",
    metadata: metadataOf(workload),
    spec: {
      selector: { matchLabels: selectorOf(workload) },
      endpoints: [
        {
          ...{ port: "admin", path: "/metrics", interval: "15s" },
          authorization: { credentials: { name: `${name}-environment`, key: "GW_ADMIN_TOKEN" } },
        },
      ],
    },
  };
}
