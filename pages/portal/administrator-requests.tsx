// The administrators' view of access requests, page by page, pending ones first.

import { signal } from "@preact/signals";
import type { KeyRequest } from "../../runtime/portal/generated/key-request.ts";
import { confirmed, openDialog, useLinkedDialog } from "../kit/dialogs.tsx";
import { usePaged } from "../kit/paged.ts";
import { Act, Empty, Facts, Heading, Time } from "../kit/parts.tsx";
import { inQuery, setInQuery } from "../kit/router.ts";
import { Table } from "../kit/table.tsx";
import { say } from "../kit/toasts.tsx";
import { issued, showCredential } from "./credential.tsx";
import { deleteShown } from "./deletion.ts";
import { RequestState, stateOf } from "./developer-views.tsx";
import { askPortal, type Listed } from "./interface.ts";
import { t } from "./messages.ts";

/** The number of pending requests, shown in the navigation. */
export const waitingRequests = signal(0);

/** Lists on one page can be sorted and filtered. */
const rowsOfPage = 200;
/** The query of the request by the filter in the address; pending requests by default. */
const approvedOf: ReadonlyMap<string, string> = new Map([
  ["approved", "true"],
  ["all", ""],
]);

/** The server's names of orders, with the titles of their columns. */
const orders = [
  ["name", "word.askedFor"],
  ["developer", "approvals.by"],
  ["date_created", "word.on"],
  ["approved", "word.state"],
] as const;

/** Returns the server's name of the order in the address; empty if there is none. */
function orderOf(sort: string): string {
  const title = sort.replace(/^-/, "");
  const [name] = orders.find(([, column]) => t(column) === title) ?? [];
  if (name === undefined) return "";
  return sort.startsWith("-") ? `-${name}` : name;
}

/** Counts the pending requests. */
async function countWaiting(): Promise<void> {
  const { Pages } = await askPortal<Listed<KeyRequest>>("GET", "/requests?approved=false&page_size=1");
  waitingRequests.value = Pages;
}

/** The view of all requests. */
export function AdministratorRequests() {
  const shown = inQuery("show");
  const approved = approvedOf.get(shown) ?? "false";
  const requests = usePaged(
    "requests",
    async (page, { filter, sort }) => {
      const order = orderOf(sort);
      const query = new URLSearchParams({
        p: String(page),
        page_size: String(rowsOfPage),
        ...(approved !== "" && { approved }),
        ...(filter !== "" && { q: filter.trim() }),
        ...(order !== "" && { sort: order }),
      });
      const found = await askPortal<Listed<KeyRequest>>("GET", `/requests?${query}`);
      await countWaiting();
      return found;
    },
    [approved],
    true,
  );
  const details = useLinkedDialog("request", showDetails);
  const approve = async (request: KeyRequest) => {
    const path = `/requests/approve/${encodeURIComponent(request.id ?? "")}`;
    const response = issued(askPortal<Readonly<Record<string, string>>>("PUT", path));
    // Also after a failure: the request may have been approved or deleted. The credential does not wait for the list.
    const credential = await response.finally(() => void requests.refresh());
    say(t("approvals.approved"));
    const authType = String(request.catalogue_entry?.auth_type ?? "");
    await showCredential(credential, authType, developerOf(request));
  };
  const remove = (request: KeyRequest) =>
    confirmed(
      {
        title: t("approvals.deleteTitle", { name: nameOf(request) }),
        text: t("approvals.deleteText"),
        yes: t("approvals.deleteIt"),
      },
      async () => {
        await deleteShown(askPortal, `/requests/${encodeURIComponent(request.id ?? "")}`, request);
        say(t("word.deleted"));
      },
      requests.refresh,
    );
  const acts = (request: KeyRequest) => {
    const about = t("approvals.about", { name: nameOf(request), developer: developerOf(request) });
    return (
      <div class="acts">
        <Act
          text={t("approvals.details")}
          about={about}
          look="small"
          work={() => details(request.id ?? "")}
        />
        {request.approved !== true && (
          <Act text={t("approvals.approve")} about={about} look="small main" work={() => approve(request)} />
        )}
        <Act text={t("word.delete")} about={about} look="small danger" work={() => remove(request)} />
      </div>
    );
  };
  return (
    <>
      <Heading title={t("approvals.title")}>{t("approvals.text")}</Heading>
      <Table
        id="requests"
        title={t("word.requests")}
        rows={requests.answer?.Data}
        fetched={requests}
        pages={requests.pages}
        keyOf={({ id = "" }) => id}
        textOf={(request) => `${nameOf(request)} ${developerOf(request)}`}
        tools={
          <label class="check">
            {t("approvals.show")}
            <select
              value={approvedOf.has(shown) ? shown : ""}
              onChange={(event) => setInQuery({ show: event.currentTarget.value, "requests.page": "" })}
            >
              <option value="">{t("approvals.showWaiting")}</option>
              <option value="approved">{t("approvals.showApproved")}</option>
              <option value="all">{t("approvals.showAll")}</option>
            </select>
          </label>
        }
        columns={[
          { title: t("word.askedFor"), sort: nameOf, cell: nameOf },
          { title: t("approvals.by"), sort: developerOf, cell: developerOf },
          {
            title: t("word.on"),
            sort: ({ date_created: on = "" }) => on,
            cell: ({ date_created: on = "" }) => <Time at={on} only="date" />,
          },
          { title: t("word.state"), sort: stateOf, cell: (request) => <RequestState request={request} /> },
          { title: t("word.acts"), isForActs: true, cell: acts },
        ]}
        empty={
          <Empty title={approved === "false" ? t("approvals.noneWaits") : t("approvals.none")}>
            {t("approvals.noneText")}
          </Empty>
        }
      />
    </>
  );
}

function nameOf({ id = "", apply_policies: policies = [], ...request }: KeyRequest): string {
  const { catalogue_entry: entry, for_plan: plan = "", for_api: api } = request;
  return String(entry?.name ?? "") || policies.join(", ") || plan || api || id;
}

/** Returns the developer or the team that requested the credential. */
function developerOf({ portal_developer: developer, portal_team: team, by_user: user }: KeyRequest): string {
  return String(team === undefined ? (developer?.email ?? user) : t("teams.named", { name: team.name }));
}

async function showDetails(id: string, signal: AbortSignal): Promise<void> {
  const request = await askPortal<KeyRequest>("GET", `/requests/${encodeURIComponent(id)}`);
  await openDialog(
    t("docs.request"),
    (close) => (
      <div class="stack">
        <div id="fields">
          <Facts
            entries={[
              [t("word.askedFor"), nameOf(request)],
              [t("word.policies"), (request.apply_policies ?? []).join(", ")],
              [t("approvals.developer"), developerOf(request)],
              [t("word.on"), request.date_created && <Time at={request.date_created} />],
              [t("word.state"), stateOf(request)],
              [t("credential.redirects"), request.oauth_info?.redirect_uri],
              ...Object.entries(request.fields ?? {}),
            ]}
          />
        </div>
        <div class="tools">
          <button type="button" onClick={() => close()}>
            {t("word.close")}
          </button>
        </div>
      </div>
    ),
    { signal },
  );
}
