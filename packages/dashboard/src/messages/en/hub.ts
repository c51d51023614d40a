/** Messages for the hub page. */
import { number } from '../../lib/format.ts'

export const hubText = {
  intro:
    'One loader line for all your games. It runs the right script for the place or game that the customer is in.',
  line: 'Loader line',
  lineHint: 'Publish it once: customers keep their line and key when you add scripts for other games.',
  scripts: 'Scripts by game',
  scriptsHint: 'Places take precedence over games. Everywhere else, the default script runs.',
  noScripts: 'No scripts yet',
  noScriptsHint: 'Upload a script for each of your games, then choose where each one runs.',
  defaultScript: 'Default script',
  defaultHint: 'Runs wherever no other script does.',
  noDefault: 'None',
  isDefault: 'Default',
  script: 'Script',
  places: 'Places',
  games: 'Games',
  runsIn: 'Runs in',
  nowhere: 'No places or games',
  elsewhere: 'All other games',
  placesOf: (count: number, ids: string) => `${count === 1 ? 'Place' : 'Places'} ${ids}`,
  gamesOf: (count: number, ids: string) => `${count === 1 ? 'Game' : 'Games'} ${ids}`,
  others: (count: number) => `and ${number(count)} more`,
  edit: 'Edit',
  editTitle: (name: string) => `Where ${name} runs`,
  placesHint: "Place IDs or game URLs, one per line. The place ID is the number in a game's URL.",
  gamesHint:
    "Game (universe) IDs, one per line. The script then runs in every place in the game. To find a universe ID, print game.GameId in the game, or select Copy Universe ID from the game's menu in the Creator Hub.",
  noId: (typed: string) => `“${typed}” is not an ID. Enter numbers of up to 20 digits, one per line.`,
  tooMany: (most: number) => `Enter at most ${most} places and games in total.`,
  saved: 'Saved. Changes apply from the next run.',
  demand: 'Unsupported games',
  demandHint: 'Requests in the last 30 days from games without a script, most requested first.',
  noDemand: 'No requests from unsupported games in the last 30 days.',
  place: 'Place',
  unknown: 'Unknown',
  requests: 'Requests',
  lastSeen: 'Last seen',
  otherRequests: (count: number) =>
    count === 1
      ? '1 more request came from other games.'
      : `${number(count)} more requests came from other games.`,
  add: 'Add to script…',
  addTo: 'Add to script',
  addName: (place: string, game: string) => (place === '0' ? `game ${game}` : `place ${place}`),
  addWhat: 'Add',
  addGame: (id: string) => `Game ${id}`,
  addGameHint: 'The script runs in every place in the game.',
  addPlace: (id: string) => `Only place ${id}`,
  added: (name: string) => `${name} now runs in this game.`,
} as const
