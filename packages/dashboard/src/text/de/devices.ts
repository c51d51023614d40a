/** Geräte eines Schlüssels. */
import { number } from '../../format.ts'
import type { devicesText as english } from '../en/devices.ts'
import type { Words } from '../words.ts'

export const devicesText: Words<typeof english> = {
  maxDevices: 'Geräte',
  maxOfPlan: 'Leer: eines',
  maxOfKey: 'Leer: wie sein Plan es sagt, sonst eines',
  maxWrong: 'Geben Sie eine ganze Zahl von 1 bis 20 ein, oder nichts.',
  match: 'Gleich sein müssen',
  matchHint: 'Merkmale der Hardware gelten als stark.',
  rules: {
    all: 'Alle starken Merkmale',
    most: 'Die meisten Merkmale',
    two: 'Zwei, eines stark',
    any: 'Ein starkes Merkmal',
  },
  ruleOfPlan: 'Wie sein Plan es sagt',
  shown: (count) => `${number(count)} Geräte`,
  maxResets: 'Zurücksetzen durch Nutzer',
  maxResetsHint: 'Wie oft Nutzer selbst ein Gerät freigeben dürfen. Leer: so oft das Projekt es erlaubt.',
  maxResetsPeriod: 'Tage',
  maxResetsPeriodHint: 'Ab dem ersten Zurücksetzen, höchstens 365.',
  resetsWrong: 'Geben Sie eine ganze Zahl von 0 bis 1000 ein, oder nichts.',
  periodWrong: 'Geben Sie eine ganze Zahl von 1 bis 365 ein.',
  unnamed: 'Gerät ohne Namen',
  bound: 'Gebunden',
  used: 'Zuletzt genutzt',
  longAgo: 'Bevor das gespeichert wurde',
  never: 'Noch nicht',
  name: 'Name',
  nameWrong: 'Geben Sie höchstens 60 Zeichen ein.',
  rename: 'Benennen',
  renameTitle: 'Gerät benennen',
  save: 'Speichern',
  remove: 'Entfernen',
  removeOf: (name) => `${name} entfernen`,
  removeTitle: (name) => `${name} entfernen?`,
  removeWords:
    'Der Schlüssel ist nicht mehr daran gebunden, und ein anderes Gerät kann seinen Platz einnehmen.',
  force: 'Beenden, was mit diesem Schlüssel läuft, auf allen seinen Geräten',
  removed: 'Gerät entfernt.',
  named: 'Gerät benannt.',
}
