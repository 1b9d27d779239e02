// The administrators' view of e-mails that no server has accepted yet.

import type { WaitingMail } from "../../runtime/portal/operations/mails.ts";
import { confirmed } from "../kit/dialogs.tsx";
import { useFetched } from "../kit/fetched.tsx";
import { Act, Badge, Empty, Heading, Time } from "../kit/parts.tsx";
import { Refusal } from "../kit/requests.ts";
import { Table } from "../kit/table.tsx";
import { say } from "../kit/toasts.tsx";
import { deleteShown } from "./deletion.ts";
import { askPortal, type Listed } from "./interface.ts";
import { t } from "./messages.ts";

/** Milliseconds between two requests for the list. */
const every = 5_000;

/** Lists e-mails that are queued or were given up, with the reason. */
export function MailsView() {
  const mails = useFetched(readMails, { every });
  const path = ({ id }: WaitingMail) => `/mails/${encodeURIComponent(id)}`;
  const retry = async (mail: WaitingMail) => {
    await askPortal("POST", `${path(mail)}/retry`);
    await mails.refresh();
    say(t("mails.tried"));
  };
  const remove = (mail: WaitingMail) =>
    confirmed(
      {
        title: t("mails.deleteTitle", { address: mail.to }),
        text: t("mails.deleteText"),
        yes: t("word.delete"),
      },
      async () => {
        // Attempts between the list and the deletion do not matter.
        await deleteShown(askPortal, path(mail), mail, ["attempts", "last_failure", "next_attempt"]);
        say(t("word.deleted"));
      },
      mails.refresh,
    );
  return (
    <>
      <Heading title={t("word.mails")}>{t("mails.text")}</Heading>
      <Table
        id="mails"
        title={t("word.mails")}
        rows={mails.answer?.Data}
        fetched={mails}
        keyOf={({ id }) => id}
        textOf={({ to, kind, last_failure: failure }) => `${to} ${kind} ${failure}`}
        columns={[
          { title: t("mails.to"), sort: ({ to }) => to, cell: ({ to }) => to },
          { title: t("mails.kind"), sort: ({ kind }) => kind, cell: ({ kind }) => <code>{kind}</code> },
          {
            title: t("word.since"),
            sort: ({ date_created: at }) => at,
            cell: ({ date_created: at }) => <Time at={at} isExact />,
          },
          {
            title: t("word.state"),
            sort: ({ state }) => state,
            cell: ({ state }) => (
              <Badge tone={state === "given_up" ? "bad" : "warn"}>
                {t(state === "given_up" ? "mails.givenUp" : "requests.waiting")}
              </Badge>
            ),
          },
          { title: t("word.attempts"), isNumber: true, cell: ({ attempts }) => attempts },
          { title: t("word.lastFailure"), cell: ({ last_failure: failure }) => failure || t("word.none") },
          {
            title: t("word.acts"),
            isForActs: true,
            cell: (mail) => (
              <div class="acts">
                {mail.state === "waiting" && (
                  <Act text={t("mails.tryNow")} about={mail.to} look="small" work={() => retry(mail)} />
                )}
                <Act text={t("word.delete")} about={mail.to} look="small danger" work={() => remove(mail)} />
              </div>
            ),
          },
        ]}
        empty={
          mails.answer?.isOff ? (
            <Empty title={t("mails.off")}>{t("mails.offText")}</Empty>
          ) : (
            <Empty title={t("mails.none")}>{t("mails.noneText")}</Empty>
          )
        }
      />
    </>
  );
}

/** Loads the list. A portal without a mail server has none. */
async function readMails(): Promise<Listed<WaitingMail> & { readonly isOff: boolean }> {
  try {
    return { ...(await askPortal<Listed<WaitingMail>>("GET", "/mails?p=-1")), isOff: false };
  } catch (error) {
    if (error instanceof Refusal && error.status === 404) return { Data: [], Pages: 0, isOff: true };
    throw error;
  }
}
