// Creates the Kubernetes objects for the pods of a gateway, their environment, and the Services that lead to them.

import { clusterEnvironment, ports, readiness, terminationGrace, type Workload } from "./workload.ts";

/** A Kubernetes object. */
export type KubernetesObject = Readonly<Record<string, unknown>>;

/** The user id of the image, as in `Containerfile`; Kubernetes must know it. */
const user = 65_532;

/** Returns the labels by which other objects select the pods. */
export function selectorOf({ name }: Workload): Readonly<Record<string, string>> {
  return { "app.kubernetes.io/name": "sluice-gateway", "app.kubernetes.io/instance": name };
}

/** Returns the name and labels of an object. */
export function metadataOf(workload: Workload, suffix = ""): KubernetesObject {
  return { name: workload.name + suffix, labels: selectorOf(workload) };
}

/** Returns the ConfigMap with the variables that are not secret. */
export function configMap(workload: Workload): KubernetesObject {
  const data = { ...clusterEnvironment(workload), GW_LOG_LEVEL: "info" };
  return { apiVersion: "v1", kind: "ConfigMap", metadata: metadataOf(workload), data };
}

/** Returns the Deployment. */
export function deployment(workload: Workload): KubernetesObject {
  const isSingle = workload.single.length > 0;
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: metadataOf(workload),
    spec: {
      // Otherwise scaling.yaml determines the number of replicas.
      ...(isSingle && { replicas: 1 }),
      revisionHistoryLimit: 5,
      strategy: isSingle
        ? { type: "Recreate" }
        : { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
      selector: { matchLabels: selectorOf(workload) },
      template: { metadata: { labels: selectorOf(workload) }, spec: podSpec(workload) },
    },
  };
}

function podSpec(workload: Workload): KubernetesObject {
  const { name, image, variables } = workload;
  const mounts = mountsOf(workload);
  const port = (path: string) => ({ httpGet: { path, port: "admin" } });
  const labelSelector = { matchLabels: selectorOf(workload) };
  return {
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    terminationGracePeriodSeconds: terminationGrace,
    securityContext: {
      ...{ runAsNonRoot: true, runAsUser: user, runAsGroup: user, fsGroup: user },
      seccompProfile: { type: "RuntimeDefault" },
    },
    affinity: {
      podAntiAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          { weight: 100, podAffinityTerm: { labelSelector, topologyKey: "kubernetes.io/hostname" } },
        ],
      },
    },
    topologySpreadConstraints: [
      {
        ...{ maxSkew: 1, topologyKey: "topology.kubernetes.io/zone", whenUnsatisfiable: "ScheduleAnyway" },
        labelSelector,
      },
    ],
    containers: [
      {
        name: "gateway",
        image,
        ports: portNames(workload).map(([name, containerPort]) => ({ name, containerPort })),
        envFrom: [{ configMapRef: { name } }],
        env: variables.map(({ name: variable, required }) => ({
          name: variable,
          valueFrom: {
            secretKeyRef: { name: `${name}-environment`, key: variable, optional: !required },
          },
        })),
        startupProbe: { ...port("/healthz"), periodSeconds: 2, failureThreshold: 30 },
        livenessProbe: { ...port("/healthz"), periodSeconds: 10, timeoutSeconds: 3, failureThreshold: 3 },
        readinessProbe: { ...port("/readyz"), ...readiness, timeoutSeconds: 2 },
        // The peaks in the benchmarks, plus the bytes of bodies and messages that a gateway holds at the same time.
        resources: { requests: { cpu: "250m", memory: "256Mi" }, limits: { memory: "768Mi" } },
        securityContext: {
          ...{ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true },
          capabilities: { drop: ["ALL"] },
        },
        volumeMounts: mounts.map(({ mount }) => mount),
      },
    ],
    volumes: [...new Map(mounts.map(({ volume }) => [volume.name, volume])).values()],
  };
}

interface Mount {
  readonly mount: KubernetesObject;
  readonly volume: KubernetesObject & { readonly name: string };
}

function mountsOf({ name, secretFiles, certificate }: Workload): readonly Mount[] {
  const temporary = {
    mount: { name: "tmp", mountPath: "/tmp" },
    volume: { name: "tmp", emptyDir: { medium: "Memory", sizeLimit: "64Mi" } },
  };
  const files = secretFiles.map(({ path, key }) => ({
    mount: {
      name: "files",
      mountPath: path.startsWith("/") ? path : `/gateway/${path}`,
      subPath: key,
      readOnly: true,
    },
    volume: { name: "files", secret: { secretName: `${name}-files`, defaultMode: 0o440 } },
  }));
  if (certificate === undefined) return [temporary, ...files];
  const items = Object.entries(certificate.items).map(([key, path]) => ({ key, path }));
  const tls = {
    mount: { name: "tls", mountPath: certificate.folder, readOnly: true },
    volume: { name: "tls", secret: { secretName: `${name}-tls`, defaultMode: 0o440, items } },
  };
  return [temporary, ...files, tls];
}

/** Returns the container's ports by name. */
function portNames(workload: Workload): readonly (readonly [string, number])[] {
  return [...clientPorts(workload).map(({ name, port }) => [name, port] as const), ["admin", ports.admin]];
}

/** Returns the ports for clients. */
export function clientPorts({ isSecure, hasPortal }: Workload) {
  const gateway = { name: isSecure ? "https" : "http", port: ports.gateway, exposed: isSecure ? 443 : 80 };
  return hasPortal ? [gateway, { name: "portal", port: ports.portal, exposed: ports.portal }] : [gateway];
}

/** Returns the Service for clients, and one for operators that is not reachable by client-facing addresses. */
export function services(workload: Workload): readonly KubernetesObject[] {
  const service = (suffix: string, spec: KubernetesObject) => ({
    ...{ apiVersion: "v1", kind: "Service", metadata: metadataOf(workload, suffix) },
    spec: { ...spec, selector: selectorOf(workload) },
  });
  const served = clientPorts(workload).map(({ name, exposed }) => ({
    name,
    port: exposed,
    targetPort: name,
  }));
  return [
    service("", { type: "ClusterIP", ports: served }),
    service("-admin", {
      ...{ clusterIP: "None", publishNotReadyAddresses: true },
      ports: [{ name: "admin", port: ports.admin, targetPort: "admin" }],
    }),
  ];
}
