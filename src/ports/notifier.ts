/** One way to tell people, outside of mam. */
export interface Notifier {
  /**
   * Tells one notice.
   *
   * @param notice - Small JSON, with `event`, `session` (a name or null) and `message`.
   * @throws {MamError} `notify.failed`, naming the way and why.
   */
  tell(notice: NoticeJson, signal: AbortSignal): Promise<void>;
}

export interface NoticeJson {
  readonly v: 1;
  readonly event: string;
  readonly workspace: string;
  readonly session: string | null;
  readonly agent: string | null;
  readonly role: string | null;
  readonly message: string;
  /** ISO 8601. */
  readonly at: string;
}
