/**
 * What one hook event of an agent means to us. Adapters make these from the agent's own payload; the
 * text of a prompt is reduced to a hash so that it is not stored a second time.
 */
export type HookFact = {
  readonly conversationId?: string;
  /** When it was fired, by the agent's own clock, where it does not wait for its hooks. Milliseconds since 1970. */
  readonly firedAtMs?: number;
} & (
  | {
      readonly kind: 'conversation-started';
      readonly cause: 'startup' | 'resume' | 'clear' | 'compact';
    }
  | { readonly kind: 'conversation-ended'; readonly reason: string; readonly processEnds: boolean }
  /** `promptHash`: SHA-256 (hex) of the prompt in the agent's normal form. */
  | { readonly kind: 'prompt-submitted'; readonly promptHash: string }
  /** The model is asked: a turn runs. Which prompt began it is not told. */
  | { readonly kind: 'model-asked' }
  /** A prompt was taken, by an agent whose hook does not say which. */
  | { readonly kind: 'turn-started' }
  | { readonly kind: 'tool-started'; readonly tool: string }
  | { readonly kind: 'tool-ended'; readonly tool: string }
  | { readonly kind: 'approval-wanted'; readonly tool: string }
  | { readonly kind: 'answer-wanted'; readonly tool: string }
  /** `background`: something that the turn started runs on. */
  | { readonly kind: 'turn-ended'; readonly answer?: string; readonly background?: boolean }
  | { readonly kind: 'turn-interrupted' }
  | {
      readonly kind: 'turn-failed';
      readonly error: string;
      readonly limited: boolean;
      readonly untilMs?: number;
    }
  | { readonly kind: 'compacting' }
  | { readonly kind: 'noted'; readonly event: string }
);

/** A fact with the spool file it came from. `name` is unique within its launch. */
export interface HookEvent {
  readonly name: string;
  /** When it was fired, else when its spool file was written. Milliseconds since 1970. */
  readonly atMs: number;
  readonly fact: HookFact;
}
