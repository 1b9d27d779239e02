// The manifests of a gateway as files, and the values of the chart in `deploy/helm` for it.

import { Document } from "yaml";
import { clientPorts, configMap, deployment, type KubernetesObject, services } from "./deployment.ts";
import { describeEgress, egressRules, networkPolicy, serviceMonitor } from "./network.ts";
import { disruptionBudget, horizontalPodAutoscaler, kafkaTriggers, scaledObject } from "./scaling.ts";
import { clusterEnvironment, ports, terminationGrace, type Workload } from "./workload.ts";

/** Files that some gateways have and others do not. */
export const sometimesWritten = ["scaling.yaml", "scaled-object.yaml"] as const;

/** YAML by file name, below the folder for manifests. Those of operators stand in files of their own. */
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
    // No references between equal parts: each is read where it stands.
    const document = new Document(object, { aliasDuplicateObjects: false });
    if (index === 0 && comment.length > 0)
      document.commentBefore = comment.map((line) => ` ${line.replace(/[\p{Cc}\p{Cs}]/gu, "?")}`).join("\n");
    return document.toString({ lineWidth: 0 });
  });
  return texts.join("---\n");
}

/** A file of values; the chart makes the objects of the manifests of them. */
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
