/** Types of `check.js`. */

export type Question = {
  readonly project_id: string
  readonly key: string
  readonly fingerprint: string | null
  readonly nonce: string
}

/**
 * Times are in milliseconds since 1970 on the server's clock. For a denied key, the answer contains only the
 * denial.
 */
export type CheckAnswer = {
  readonly success: boolean
  /** 0 for a valid key, otherwise the denial's number in the client protocol. */
  readonly code: number
  /** `valid`, or the name of the denial. */
  readonly reason: string
  readonly key_expires: number | null
  readonly executions: number | null
  readonly note: string | null
  readonly bound: boolean | null
  /** Name of the key's plan. */
  readonly plan: string | null
  readonly features: Readonly<Record<string, true | number | string>> | null
  /** Remote variables for the key's plan, except those limited to certain scripts. */
  readonly vars: Readonly<Record<string, unknown>> | null
  readonly tags: readonly string[] | null
  /** Public metadata set by the owner: any JSON value. */
  readonly metadata: unknown
  /** Whether the key has expired and is in its plan's grace period. */
  readonly in_grace: boolean | null
  readonly status: 'active' | 'grace' | null
  readonly details: Readonly<Record<string, string | number | boolean | null>> | null
  /** Wait time in seconds. */
  readonly retry_after: number | null
  readonly nonce: string
  readonly asked: string
  readonly st: number
}

export class CheckError extends Error {
  readonly kind: 'network' | 'refused' | 'forged'
  readonly status: number | undefined
}

export function checkKey(options: {
  readonly url: string
  readonly projectId: string
  readonly publicKeys: readonly string[]
  readonly key: string
  readonly fingerprint?: string | null
  readonly claim?: boolean
}): Promise<CheckAnswer>

export function openAnswer(given: {
  readonly text: string
  readonly signature: string | null | undefined
  readonly publicKeys: readonly string[]
  readonly question: Question
}): Promise<CheckAnswer>

export function deviceComponent(projectId: string, value: string, name?: string): Promise<string>
