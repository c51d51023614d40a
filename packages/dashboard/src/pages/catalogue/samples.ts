/** What the parts show here: names as people give them, short, long, and written from right to left. */
import { ServiceError } from '@scriptward/sdk'

export const SHORT = 'Garden hub'
export const SENTENCE = 'Season pass of the garden hub for resellers, renewed each month by bank transfer'
/** Data has words that no line breaks; the words of the dashboard have none. */
export const LONG = `${SENTENCE}, with_a_word_that_no_line_can_break_because_it_has_no_space`
export const ARABIC = 'مفتاح للصديق الأول في الحديقة'
export const KEY = 'HUB-7KQ2M-W3TDA-0NVRS-XP4'
export const CODE = 'script_key = "HUB-7KQ2M"\nloadstring(game:HttpGet("https://ward.example.org/loader"))()'
const HOUR = 3_600_000
/** A fixed hour, so that pictures of the page are alike. */
export const AT = Date.UTC(2026, 0, 5, 12)

export const FAILURE = new ServiceError(503, { type: 'unavailable', message: 'busy' })
export const REFUSAL = new ServiceError(403, { type: 'forbidden', message: 'no', needs: 'users:write' })

/** As a query that is on its way, or failed. */
export const LOADING = { isPending: true, error: null, refetch: () => undefined }
export const FAILING = { isPending: false, error: FAILURE, refetch: () => undefined }

export type Row = { readonly id: string; readonly name: string; readonly runs: number; readonly at: number }

export const ROWS: readonly Row[] = [SHORT, LONG, ARABIC].map((name, index) => ({
  id: `row-${index + 1}`,
  name,
  runs: 1204 * (index + 1) ** 3,
  at: AT - index * 26 * HOUR,
}))

export const TIMES = Array.from({ length: 24 }, (_, hour) => AT + (hour - 23) * HOUR)
