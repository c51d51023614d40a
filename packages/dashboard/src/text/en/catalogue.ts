/** The catalogue of parts. */
export const catalogueText = {
  title: 'Catalogue',
  intro: 'Every part of the dashboard in each of its states.',
  states: {
    full: 'Full',
    empty: 'Empty',
    loading: 'Loading',
    failing: 'Failing',
    disabled: 'Disabled',
    long: 'Long text',
    rtl: 'Right to left',
  },
  hint: 'What to know about it.',
  wrong: 'This is wrong. Say what to do.',
  why: 'Why it cannot be pressed.',
  nothing: 'Nothing here yet',
  state: 'Connected',
  say: 'Say something',
} as const
