// Lists deployments with their results, and the gateways.

import type { Deployment } from "../../management/generated/deployment.ts";
import { confirmed, openDialog, useLinkedDialog } from "../kit/dialogs.tsx";
import { useFetched } from "../kit/fetched.tsx";
import { countText } from "../kit/numbers.ts";
import { usePaged } from "../kit/paged.ts";
import { Act, Badge, Empty, Heading, Time } from "../kit/parts.tsx";
import { Table } from "../kit/table.tsx";
import { say } from "../kit/toasts.tsx";
import { DeploymentDetails } from "./deployment-details.tsx";
import { askPage, askService, askServiceFor, type ServiceList } from "./service.ts";

/** A gateway in the response of the service. */
interface Gateway {
  readonly id: string;
  readonly seen_at: string;
  readonly lost: boolean;
  readonly deployment?: number;
  readonly runtime?: string;
  readonly problem?: string;
  readonly needsRestart?: boolean;
}

/** The view with deployments and gateways. */
const askDeployments = askPage<Deployment>("/deployments", 50);

export function DeploymentsView() {
  const deployments = usePaged("deployments", askDeployments);
  const gateways = useFetched(() => askServiceFor<ServiceList<Gateway>>("GET", "/gateways"), {
    every: 5_000,
  });
  const newest = deployments.pages.page === 1 ? deployments.answer?.Data[0]?.number : undefined;
  const details = useLinkedDialog(
    "deployment",
    (number, signal) => {
      const deployment = deployments.answer?.Data.find((each) => String(each.number) === number);
      if (deployment === undefined) throw new Error(`Deployment ${number} is not on this page of the list.`);
      return openDialog(
        `Deployment ${number}`,
        (close) => (
          <DeploymentDetails
            deployment={deployment}
            read={async () => {
              const { Data } = await askDeployments(deployments.pages.page);
              return Data.find((each) => String(each.number) === number);
            }}
            close={() => close()}
          />
        ),
        { isWide: true, signal },
      );
    },
    deployments.answer !== undefined,
  );
  const goBack = ({ number }: Deployment) =>
    confirmed(
      {
        title: `Roll back to deployment ${number}?`,
        text: "The definitions of that deployment become the newest versions and are deployed.",
        yes: "Roll back to it",
      },
      async () => {
        await askService("POST", `/deployments/${number}/rollback`);
        await deployments.refresh();
        say(`The definitions of deployment ${number} go live.`);
      },
    );
  return (
    <>
      <Heading title="Deployments">Deployments of the gateways, newest first.</Heading>
      <Table
        id="deployments"
        title="Deployments"
        rows={deployments.answer?.Data}
        fetched={deployments}
        pages={deployments.pages}
        keyOf={({ number }) => String(number)}
        columns={[
          { title: "Number", sort: ({ number }) => number, cell: ({ number }) => number },
          {
            title: "When",
            sort: ({ created_at: at }) => at,
            cell: ({ created_at: at }) => <Time at={at} isExact />,
          },
          { title: "APIs", cell: ({ apis = [] }) => apis.length },
          {
            title: "Compiled",
            cell: ({ compiled, compiled_apis: count = 0 }) =>
              compiled === undefined ? "" : `${countText(count, "API")} in ${compiled.toLocaleString()} ms`,
          },
          {
            title: "Failures",
            cell: ({ failures = [] }) =>
              failures.length === 0 ? (
                <Badge tone="good">none</Badge>
              ) : (
                <Badge tone="bad">{failures.length}</Badge>
              ),
          },
          {
            title: "Actions",
            isForActs: true,
            cell: (each) => (
              <div class="acts">
                {each.number === newest && <Badge tone="good">newest</Badge>}
                <Act
                  text="Details"
                  about={`deployment ${each.number}`}
                  look="small"
                  work={() => details(String(each.number))}
                />
                {each.number !== newest && (
                  <Act
                    text="Roll back"
                    about={`deployment ${each.number}`}
                    look="small"
                    work={() => goBack(each)}
                  />
                )}
              </div>
            ),
          },
        ]}
        empty={<Empty title="No deployments yet">The first API that is saved is the first deployment.</Empty>}
      />
      <Table
        id="gateways"
        title="Gateways"
        rows={gateways.answer?.Data}
        fetched={gateways}
        keyOf={({ id }) => id}
        columns={[
          { title: "Gateway", sort: ({ id }) => id, cell: ({ id }) => id },
          {
            title: "State",
            cell: ({ lost, problem, needsRestart }) => (
              <Badge tone={lost || problem !== undefined ? "bad" : needsRestart ? "warn" : "good"}>
                {lost ? "lost" : (problem ?? (needsRestart ? "needs a restart" : "reports"))}
              </Badge>
            ),
          },
          { title: "Deployment", isNumber: true, cell: ({ deployment }) => deployment },
          { title: "Seen", sort: ({ seen_at: at }) => at, cell: ({ seen_at: at }) => <Time at={at} /> },
        ]}
        empty={
          <Empty title="No gateway has reported yet">
            Start one with <code>sluice gateway --from</code> and the address of this service.
          </Empty>
        }
      />
    </>
  );
}
