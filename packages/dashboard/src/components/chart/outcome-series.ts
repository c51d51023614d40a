/** Stacks run outcomes: granted runs at the bottom, outcomes that need attention on top. */
import { text } from '../../messages/text.ts'
import { deniedIn, type Outcome } from '../../queries/outcomes.ts'
import type { Series } from './series.ts'

/** Vanished runs are shown only if there are any. The logs have no filter for them. */
const SHOWN = ['granted', 'vanished', 'denied', 'crashed'] as const
type ShownOutcome = (typeof SHOWN)[number]
type Filter = Exclude<ShownOutcome, 'vanished'>

/** Links and actions of the legend entries. */
type Links = (outcome: Filter) => Pick<Series, 'href' | 'onChoose' | 'isChosen'>

export function outcomeSeries(outcomes: readonly Outcome[], links: Links = () => ({})): Series[] {
  const isAnyGone = outcomes.some(({ vanished }) => vanished > 0)
  return SHOWN.filter((outcome) => isAnyGone || outcome !== 'vanished').map((outcome) => ({
    title: outcome === 'vanished' ? text.logs.vanished : text.logs.outcomes[outcome],
    color: outcome,
    values: outcomes.map((each) => countOf(each, outcome)),
    ...(outcome !== 'vanished' && links(outcome)),
  }))
}

/** Crashed and vanished runs were also granted, but must appear in the stack only once. */
function countOf(outcomes: Outcome, outcome: ShownOutcome): number {
  const { granted, crashed, vanished } = outcomes
  if (outcome === 'denied') return deniedIn(outcomes)
  return outcome === 'granted' ? Math.max(0, granted - crashed - vanished) : outcomes[outcome]
}
