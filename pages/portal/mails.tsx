// E-mails that no server has taken yet, as administrators see them.

import type { WaitingMail } from "../../runtime/portal/mail/mail-records.ts";
import { useAsked } from "../kit/asked.tsx";
import { confirmed } from "../kit/dialogs.tsx";
import { Act, Badge, Empty, Heading, Time } from "../kit/parts.tsx";
import { Refusal } from "../kit/requests.ts";
import { Table } from "../kit/table.tsx";
import { say } from "../kit/toasts.tsx";
import { askPortal, type Listed } from "./interface.ts";

/** Milliseconds after which the list is asked for again. */
const every = 5_000;

/** What waits to be sent or was given up, with the reason. */
export function MailsView() {
  const mails = useAsked(readMails, { every });
  const path = ({ id }: WaitingMail) => `/mails/${encodeURIComponent(id)}`;
  const retry = async (mail: WaitingMail) => {
    await askPortal("POST", `${path(mail)}/retry`);
    await mails.refresh();
    say("It is tried now.");
  };
  const remove = (mail: WaitingMail) =>
    confirmed(
      { title: `Delete the e-mail to ${mail.to}?`, text: "It is not sent any more.", yes: "Delete" },
      async () => {
        await askPortal("DELETE", path(mail));
        await mails.refresh();
        say("Deleted.");
      },
    );
  return (
    <>
      <Heading title="E-mails">
        E-mails that the mail server has not taken yet. They are tried again until they are given up; those
        that were sent are not listed.
      </Heading>
      <Table
        id="mails"
        title="E-mails"
        rows={mails.answer?.Data}
        asked={mails}
        keyOf={({ id }) => id}
        textOf={({ to, kind, last_failure: failure }) => `${to} ${kind} ${failure}`}
        columns={[
          { title: "To", sort: ({ to }) => to, cell: ({ to }) => to },
          { title: "What for", sort: ({ kind }) => kind, cell: ({ kind }) => <code>{kind}</code> },
          {
            title: "Since",
            sort: ({ date_created: at }) => at,
            cell: ({ date_created: at }) => <Time at={at} />,
          },
          {
            title: "State",
            sort: ({ state }) => state,
            cell: ({ state }) =>
              state === "given_up" ? <Badge tone="bad">given up</Badge> : <Badge tone="warn">waiting</Badge>,
          },
          { title: "Attempts", isNumber: true, cell: ({ attempts }) => attempts },
          { title: "Last failure", cell: ({ last_failure: failure }) => failure || "none" },
          {
            title: "Acts",
            isForActs: true,
            cell: (mail) => (
              <div class="acts">
                {mail.state === "waiting" && (
                  <Act text="Try now" about={mail.to} look="small" work={() => retry(mail)} />
                )}
                <Act text="Delete" about={mail.to} look="small danger" work={() => remove(mail)} />
              </div>
            ),
          },
        ]}
        empty={
          mails.answer?.isOff ? (
            <Empty title="This portal sends no e-mails.">
              Write the address of a mail server into <code>portal.smtp</code> of gateway.yaml.
            </Empty>
          ) : (
            <Empty title="No e-mail waits.">The mail server has taken all of them.</Empty>
          )
        }
      />
    </>
  );
}

/** Only portals with a mail server can be asked. */
async function readMails(): Promise<Listed<WaitingMail> & { readonly isOff: boolean }> {
  try {
    return { ...(await askPortal<Listed<WaitingMail>>("GET", "/mails?p=-1")), isOff: false };
  } catch (error) {
    if (error instanceof Refusal && error.status === 404) return { Data: [], Pages: 0, isOff: true };
    throw error;
  }
}
