// Creates the Kubernetes manifests of a gateway as files, and the values of the chart in `deploy/helm` for it: its
// scaling, its allowed connections, and the scraping of its metrics.

import { isIP } from "node:net";
import { Document } from "yaml";
import type { GroupTopic, TextOrVariable } from "../consumer-groups.ts";
import type { NetworkDestination } from "../destinations.ts";
import {
  clientPorts,
  configMap,
  deployment,
  type KubernetesObject,
  metadataOf,
  selectorOf,
  services,
} from "./deployment.ts";
import { clusterEnvironment, ports, terminationGrace, type Workload } from "./workload.ts";

/** Numbers of replicas for a gateway whose streams can run on several replicas. */
const replicas = { least: 2, most: 10 } as const;

/** Average CPU utilisation of a replica, in percent of the requested CPU. */
const cpuUtilization = 70;

/** Messages of lag in a topic for each replica. */
const lagThreshold = "1000";

/**
 * Returns a budget that evicts one replica at a time while nodes are drained; a single replica does not block draining.
 */
function disruptionBudget(workload: Workload): KubernetesObject {
  return {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: metadataOf(workload),
    spec: { maxUnavailable: 1, selector: { matchLabels: selectorOf(workload) } },
  };
}

function targetOf({ name }: Workload): KubernetesObject {
  return { apiVersion: "apps/v1", kind: "Deployment", name };
}

/** Returns an autoscaler by CPU. */
function horizontalPodAutoscaler(workload: Workload): KubernetesObject {
  return {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: metadataOf(workload),
    spec: {
      scaleTargetRef: targetOf(workload),
      ...{ minReplicas: replicas.least, maxReplicas: replicas.most },
      metrics: [
        {
          type: "Resource",
          resource: { name: "cpu", target: { type: "Utilization", averageUtilization: cpuUtilization } },
        },
      ],
      // Each change in a consumer group stops its readers for a moment.
      behavior: { scaleDown: { stabilizationWindowSeconds: 300, policies: [onePodAMinute] } },
    },
  };
}

const onePodAMinute = { type: "Pods", value: 1, periodSeconds: 60 };

/** Returns an object of KEDA, which replaces the autoscaler above: it scales by CPU, and by the lag of each topic. */
function scaledObject(workload: Workload): KubernetesObject {
  const { name } = workload;
  return {
    apiVersion: "keda.sh/v1alpha1",
    kind: "ScaledObject",
    metadata: {
      ...metadataOf(workload),
      annotations: { "scaledobject.keda.sh/transfer-hpa-ownership": "true" },
    },
    spec: {
      scaleTargetRef: targetOf(workload),
      ...{ minReplicaCount: replicas.least, maxReplicaCount: replicas.most },
      advanced: {
        horizontalPodAutoscalerConfig: {
          name,
          behavior: { scaleDown: { stabilizationWindowSeconds: 300, policies: [onePodAMinute] } },
        },
      },
      triggers: [
        { type: "cpu", metricType: "Utilization", metadata: { value: String(cpuUtilization) } },
        ...kafkaTriggers(workload),
      ],
    },
  };
}

/** Returns a trigger for each topic that is read with a consumer group. */
function kafkaTriggers(workload: Workload): readonly KubernetesObject[] {
  return workload.groups.map((group) => kafkaTrigger(workload, group));
}

function kafkaTrigger({ name }: Workload, group: GroupTopic): KubernetesObject {
  return {
    type: group.scaler,
    metadata: {
      ...named("bootstrapServers", group.brokers),
      ...named("consumerGroup", group.group),
      ...(group.topic !== undefined && named("topic", group.topic)),
      lagThreshold,
      ...(group.isEncrypted && { tls: "enable" }),
    },
    ...(group.hasLogin && { authenticationRef: { name: `${name}-kafka` } }),
  };
}

/** KEDA reads variables of the container, including those from Secrets. */
function named(field: string, value: TextOrVariable): Readonly<Record<string, string>> {
  return "text" in value ? { [field]: value.text } : { [`${field}FromEnv`]: value.variable };
}

/** Files that only some gateways have. */
export const sometimesWritten = ["scaling.yaml", "scaled-object.yaml"] as const;

/** Returns YAML by file name, below the folder for manifests. Objects for operators have files of their own. */
export function kubernetesManifests(workload: Workload): ReadonlyMap<string, string> {
  const { single, groups } = workload;
  const files = new Map([
    ["config-map.yaml", print([configMap(workload)])],
    ["deployment.yaml", print([deployment(workload)], describePods(workload))],
    ["disruption-budget.yaml", print([disruptionBudget(workload)])],
    ["network-policy.yaml", print([networkPolicy(workload)], describeNetwork(workload))],
    ["service.yaml", print(services(workload))],
    ["service-monitor.yaml", print([serviceMonitor(workload)], ["For the Prometheus operator."])],
  ]);
  if (single.length > 0) return files;
  files.set("scaling.yaml", print([horizontalPodAutoscaler(workload)]));
  if (groups.length > 0)
    files.set("scaled-object.yaml", print([scaledObject(workload)], describeLag(workload)));
  return files;
}

function describePods(workload: Workload): readonly string[] {
  const { name, variables, secretFiles, certificate, single } = workload;
  const required = variables.filter((each) => each.required).map((each) => each.name);
  const optional = variables.filter((each) => !each.required).map((each) => each.name);
  const keys = secretFiles.map(({ key }) => key);
  return [
    `The Secret ${name}-environment has to hold ${required.join(", ")}.`,
    ...(optional.length === 0 ? [] : [`It may hold ${optional.join(", ")}.`]),
    ...(keys.length === 0 ? [] : [`The Secret ${name}-files has to hold ${keys.join(", ")}.`]),
    ...(certificate === undefined
      ? []
      : [`The Secret ${name}-tls has to hold ${Object.keys(certificate.items).join(", ")}.`]),
    ...(single.length === 0
      ? []
      : [`One replica, since replicas would not share the work of ${single.join(", ")}.`]),
  ];
}

function describeNetwork(workload: Workload): readonly string[] {
  return ["Connections out that the documents name:", ...describeEgress(workload).map((text) => `- ${text}`)];
}

function describeLag({ name, groups }: Workload): readonly string[] {
  const login = `The TriggerAuthentication ${name}-kafka has to hold sasl, username and password.`;
  return [
    "For KEDA, which takes over the HorizontalPodAutoscaler.",
    ...(groups.some(({ hasLogin }) => hasLogin) ? [login] : []),
  ];
}

function print(objects: readonly KubernetesObject[], comment: readonly string[] = []): string {
  const texts = objects.map((object, index) => {
    // No YAML aliases between equal parts, so that each part can be read in its place.
    const document = new Document(object, { aliasDuplicateObjects: false });
    if (index === 0 && comment.length > 0)
      document.commentBefore = comment.map((line) => ` ${line.replace(/[\p{Cc}\p{Cs}]/gu, "?")}`).join("\n");
    return document.toString({ lineWidth: 0 });
  });
  return texts.join("---\n");
}

/** Returns a file of values, from which the chart creates the same objects as the manifests. */
export function helmValues(workload: Workload): string {
  const { name, image, variables, secretFiles, certificate, single } = workload;
  const document = new Document(
    {
      ...{ name, image },
      ...(single.length > 0 && { replicas: 1 }),
      environment: { ...clusterEnvironment(workload), GW_LOG_LEVEL: "info" },
      ...{ variables, files: secretFiles },
      ...(certificate !== undefined && { certificate }),
      ...{ ports: clientPorts(workload), adminPort: ports.admin },
      terminationGracePeriodSeconds: terminationGrace,
      networkPolicy: { egress: egressRules(workload) },
      keda: { triggers: kafkaTriggers(workload) },
    },
    { aliasDuplicateObjects: false },
  );
  return document.toString({ lineWidth: 0 });
}

/** Allows connections from clients and Prometheus, and to DNS and the destinations in the documents. */
function networkPolicy(workload: Workload): KubernetesObject {
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

/** Returns the rules for outgoing connections, except those to DNS. */
function egressRules(workload: Workload): readonly KubernetesObject[] {
  const rules = destinationsOf(workload).map(egressTo);
  return [...new Map(rules.map((rule) => [JSON.stringify(rule), rule])).values()];
}

/** Returns the destinations, including those of webhooks, which subscribers choose. */
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

/** Describes each rule for the head of the file. */
function describeEgress(workload: Workload): readonly string[] {
  return destinationsOf(workload).map(({ from, port, isAssumed }) =>
    isAssumed
      ? `${from}: assumed to be on port ${port}; change the rule where it is another`
      : `${from}: port ${port}`,
  );
}

/** Policies select pods and addresses, not names: a name outside of the cluster opens its port to every address. */
function egressTo({ host = "", port }: NetworkDestination): KubernetesObject {
  const address = host.replace(/^\[|\]$/g, "");
  const family = isIP(address);
  // An address in a URL is used as it is; the addresses of brokers are removed before, because brokers name further
  // ones.
  if (family !== 0)
    return { to: [{ ipBlock: { cidr: `${address}/${family === 4 ? 32 : 128}` } }], ports: [tcp(port)] };
  const namespace = /^[a-z0-9-]+\.([a-z0-9-]+)\.svc(?:\.|$)/.exec(host)?.[1];
  if (namespace === undefined) return { ports: [tcp(port)] };
  const matchLabels = { "kubernetes.io/metadata.name": namespace };
  // The port of a Service may differ from the port of its pods, and policies apply to pods.
  return { to: [{ namespaceSelector: { matchLabels } }] };
}

function tcp(port: number) {
  return { protocol: "TCP", port };
}

/**
 * Returns an object for the Prometheus operator: it scrapes `/metrics` of every pod with the token of the admin
 * listener.
 */
function serviceMonitor(workload: Workload): KubernetesObject {
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
