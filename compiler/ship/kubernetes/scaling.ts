// How many replicas there are: by load, by the lag of consumer groups, and while nodes are drained.

import type { GroupTopic, TextOrVariable } from "../consumer-groups.ts";
import { type KubernetesObject, metadataOf, selectorOf } from "./deployment.ts";
import type { Workload } from "./workload.ts";

/** Replicas of a gateway whose streams replicas share. */
const replicas = { least: 2, most: 10 } as const;

/** Per cent of the requested CPU that a replica uses on average. */
const cpuUtilization = 70;

/** Messages that each replica may be behind in a topic. */
const lagThreshold = "1000";

/** Keeps one replica while nodes are drained; of a gateway that has only one it holds nothing up. */
export function disruptionBudget(workload: Workload): KubernetesObject {
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

/** Scales by CPU. */
export function horizontalPodAutoscaler(workload: Workload): KubernetesObject {
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
      // Each change of a group stops its readers for a moment.
      behavior: { scaleDown: { stabilizationWindowSeconds: 300, policies: [onePodAMinute] } },
    },
  };
}

const onePodAMinute = { type: "Pods", value: 1, periodSeconds: 60 };

/** KEDA's, which takes over the autoscaler above: by CPU, and by the lag of each topic. */
export function scaledObject(workload: Workload): KubernetesObject {
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

/** Of each topic that is read with a group. */
export function kafkaTriggers(workload: Workload): readonly KubernetesObject[] {
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

/** KEDA reads variables of the container, those of Secrets too. */
function named(field: string, value: TextOrVariable): Readonly<Record<string, string>> {
  return "text" in value ? { [field]: value.text } : { [`${field}FromEnv`]: value.variable };
}
