/** The catalogue of parts. */
import type { catalogueText as english } from '../en/catalogue.ts'
import type { Words } from '../words.ts'

export const catalogueText: Words<typeof english> = {
  title: 'Katalog',
  intro: 'Jedes Teil des Dashboards in jedem seiner Zustände.',
  states: {
    full: 'Gefüllt',
    empty: 'Leer',
    loading: 'Lädt',
    failing: 'Fehler',
    disabled: 'Gesperrt',
    long: 'Langer Text',
    rtl: 'Von rechts nach links',
  },
  hint: 'Was man darüber wissen sollte.',
  wrong: 'Das ist falsch. Hier steht, was zu tun ist.',
  why: 'Warum man es nicht drücken kann.',
  nothing: 'Hier ist noch nichts',
  state: 'Verbunden',
  say: 'Etwas melden',
}
