/** Reasons why a visitor to an ad system can't continue, and when they can try again. */

export type Refusal =
  /** The visitor came back too soon to have seen an ad. */
  | 'too_fast'
  /**
   * The provider did not confirm the visit, or the visitor's token was already used or belongs to another
   * link.
   */
  | 'not_verified'
  /** The provider saw a different IP address than this server did. */
  | 'other_address'
  /** The visitor returned for another step, or after the attempt ended. */
  | 'wrong_step'
  /** The provider's confirmation did not arrive in time. */
  | 'not_confirmed'
  /** The attempt exceeded its time limit. */
  | 'attempt_expired'
  /** The owner changed this step during the visit. */
  | 'step_changed'
  /** The provider does not respond. The visitor may use the step's fallback, if it has one. */
  | 'provider_down'
  /** The visitor took too long to complete all steps or to claim the key, and must start over. */
  | 'progress_expired'
  /** The owner removed every step that the visitor had completed, so the visitor must start over. */
  | 'steps_removed'
  /** The form predates the browser's cookie or came from another site. */
  | 'form_expired'
  /** The proof of work or the verifier's token was missing, wrong, expired or already used. */
  | 'captcha_failed'
  /** Too many starts from this network within an hour. */
  | 'too_many_starts'
  /** Too many keys for this network within a day. */
  | 'too_many_keys'
  /** Too many keys for this visitor within a day. */
  | 'too_many_own_keys'
  /** The visitor received a key a moment ago. */
  | 'cooldown'
  /** Too many unconfirmed visits. */
  | 'too_many_failures'
  /** The visitor has as many keys as the system allows, and they cannot be extended. */
  | 'max_keys_reached'
  /** The key already has the maximum remaining time. */
  | 'max_duration_reached'
  /** The owner's tier allows no more ad users. */
  | 'account_full'

export type Notice = {
  readonly reason: Refusal
  /** When the visitor may try again. Omitted if they may do so immediately. */
  readonly allowedAt?: number
}
