// The values of the chart in `deploy/helm` for a gateway.

import { Document } from "yaml";
import { clientPorts } from "./deployment.ts";
import { egressRules } from "./network.ts";
import { kafkaTriggers } from "./scaling.ts";
import { clusterEnvironment, ports, terminationGrace, type Workload } from "./workload.ts";

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
