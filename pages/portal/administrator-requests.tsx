// Requests for access, as administrators see them: a page at a time, those that wait first.

import { signal } from "@preact/signals";
import type { KeyRequest } from "../../runtime/portal/generated/key-request.ts";
import { confirmed, openDialog, useLinkedDialog } from "../kit/dialogs.tsx";
import { usePaged } from "../kit/paged.ts";
import { Act, Empty, Facts, Heading, Time } from "../kit/parts.tsx";
import { inQuery, setInQuery } from "../kit/router.ts";
import { Table } from "../kit/table.tsx";
import { say } from "../kit/toasts.tsx";
import { showCredential } from "./credential.tsx";
import { RequestState, stateOf } from "./developer-views.tsx";
import { askPortal, type Listed } from "./interface.ts";

/** How many requests wait; the navigation shows it. */
export const waitingRequests = signal(0);

const rowsOfPage = 20;
/** What the interface is asked for, by what is shown; those that wait where nothing is said. */
const approvedOf: ReadonlyMap<string, string> = new Map([
  ["approved", "true"],
  ["all", ""],
]);

/** Counts the requests that wait. */
export async function countWaiting(): Promise<void> {
  const { Pages } = await askPortal<Listed<KeyRequest>>("GET", "/requests?approved=false&page_size=1");
  waitingRequests.value = Pages;
}

/** All requests. */
export function AdministratorRequests() {
  const shown = inQuery("show");
  const approved = approvedOf.get(shown) ?? "false";
  const requests = usePaged(
    "requests",
    async (page) => {
      const query = new URLSearchParams({
        p: String(page),
        page_size: String(rowsOfPage),
        ...(approved !== "" && { approved }),
      });
      const found = await askPortal<Listed<KeyRequest>>("GET", `/requests?${query}`);
      await countWaiting();
      return found;
    },
    [approved],
  );
  const details = useLinkedDialog("request", showDetails);
  const approve = async ({ id = "" }: KeyRequest) => {
    const path = `/requests/approve/${encodeURIComponent(id)}`;
    const credential = await askPortal<Readonly<Record<string, string>>>("PUT", path);
    await requests.refresh();
    say("Approved.");
    await showCredential(credential);
  };
  const remove = (request: KeyRequest) =>
    confirmed(
      {
        title: `Delete the request for ${nameOf(request)}?`,
        text: "This is how a request is declined. A credential that it gave stays.",
        yes: "Delete it",
      },
      async () => {
        await askPortal("DELETE", `/requests/${encodeURIComponent(request.id ?? "")}`);
        await requests.refresh();
        say("Deleted.");
      },
    );
  const acts = (request: KeyRequest) => {
    const about = `${nameOf(request)} by ${developerOf(request)}`;
    return (
      <div class="acts">
        <Act text="Details" about={about} look="small" work={() => details(request.id ?? "")} />
        {request.approved !== true && (
          <Act text="Approve" about={about} look="small main" work={() => approve(request)} />
        )}
        <Act text="Delete" about={about} look="small danger" work={() => remove(request)} />
      </div>
    );
  };
  return (
    <>
      <Heading title="Requests for access">
        Approving a request gives a credential, which is shown once, here and nowhere else.
      </Heading>
      <Table
        id="requests"
        title="Requests"
        rows={requests.answer?.Data}
        asked={requests}
        pages={requests.pages}
        keyOf={({ id = "" }) => id}
        textOf={(request) => `${nameOf(request)} ${developerOf(request)}`}
        tools={
          <label class="check">
            Show
            <select
              value={approvedOf.has(shown) ? shown : ""}
              onChange={(event) => setInQuery({ show: event.currentTarget.value, "requests.page": "" })}
            >
              <option value="">waiting</option>
              <option value="approved">approved</option>
              <option value="all">all</option>
            </select>
          </label>
        }
        columns={[
          { title: "Asked for", sort: nameOf, cell: nameOf },
          { title: "By", sort: developerOf, cell: developerOf },
          {
            title: "On",
            sort: ({ date_created: on = "" }) => on,
            cell: ({ date_created: on = "" }) => <Time at={on} only="date" />,
          },
          { title: "State", sort: stateOf, cell: (request) => <RequestState request={request} /> },
          { title: "Acts", isForActs: true, cell: acts },
        ]}
        empty={
          <Empty title={approved === "false" ? "No request waits." : "There are no such requests."}>
            Developers ask for access in the catalogue of this portal.
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

function developerOf({ portal_developer: developer, by_user: user }: KeyRequest): string {
  return String(developer?.email ?? user);
}

async function showDetails(id: string, signal: AbortSignal): Promise<void> {
  const request = await askPortal<KeyRequest>("GET", `/requests/${encodeURIComponent(id)}`);
  await openDialog(
    "Request",
    (close) => (
      <div class="stack">
        <div id="fields">
          <Facts
            entries={[
              ["Asked for", nameOf(request)],
              ["Policies", (request.apply_policies ?? []).join(", ")],
              ["Developer", developerOf(request)],
              ["On", request.date_created && <Time at={request.date_created} />],
              ["State", stateOf(request)],
              ["Redirects to", request.oauth_info?.redirect_uri],
              ...Object.entries(request.fields ?? {}),
            ]}
          />
        </div>
        <div class="tools">
          <button type="button" onClick={() => close()}>
            Close
          </button>
        </div>
      </div>
    ),
    { signal },
  );
}
