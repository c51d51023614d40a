/** Reasons why a visitor to an ad system cannot continue, and when they may try again. */

export type Refusal =
  /** The visitor came back too soon to have seen an ad. */
  | 'too_fast'
  /** The provider did not confirm the visit, or its token was used before or belongs to another link. */
  | 'not_verified'
  /** The provider saw a different IP address than this server. */
  | 'other_address'
  /** The return belongs to another step or to an attempt that has ended. */
  | 'wrong_step'
  /** The provider's confirmation did not arrive in time. */
  | 'not_confirmed'
  /** The attempt took longer than allowed. */
  | 'attempt_expired'
  /** The owner changed this step in the meantime. */
  | 'step_changed'
  /** The provider does not respond. The step's fallback, if it has one, may be used instead. */
  | 'provider_down'
  /** All steps together took too long, or the key was not claimed in time. The visitor starts over. */
  | 'progress_expired'
  /** The owner removed every step that the visitor had passed. The visitor starts over. */
  | 'steps_removed'
  /** The form was older than the browser's cookie, or came from another site. */
  | 'form_expired'
  /** The proof of work or the verifier's token was missing, wrong, expired or used before. */
  | 'captcha_failed'
  /** Too many starts from this network in an hour. */
  | 'too_many_starts'
  /** Too many keys for this network in a day. */
  | 'too_many_keys'
  /** Too many keys for this visitor in a day. */
  | 'too_many_own_keys'
  /** The visitor received a key a moment ago. */
  | 'cooldown'
  /** Too many visits that were not confirmed. */
  | 'too_many_failures'
  /** The visitor has as many keys as the system allows, and they cannot be extended. */
  | 'max_keys_reached'
  /** The key already has the maximum duration. */
  | 'max_duration_reached'
  /** The owner's tier allows no more users from ads. */
  | 'account_full'

export type Notice = {
  readonly reason: Refusal
  /** When the visitor may try again; missing if they may do so now. */
  readonly allowedAt?: number
}
