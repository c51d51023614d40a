/** Messages for the page that traces leaked copies. */
export const leaksText = {
  intro:
    'Every run gets a copy with small, unique differences. Paste a leaked copy to find out whose it was.',
  script: 'Script',
  scriptHint:
    'A copy is compared with every version of one script, which can take a minute. Select the script it came from.',
  scriptGuessed: 'Selected because the copy contains its name or ID.',
  comparedWith: 'Compared with every version of',
  noScripts: 'No scripts yet',
  noScriptsHint: 'Upload a script first. You can then trace every copy that customers run.',
  earlier: 'Earlier traces',
  earlierHint: 'The last 200 results. The copies themselves are not stored, only their size and digest.',
  none: 'No traces yet.',
  when: 'When',
  by: 'By',
  found: 'Delivered to',
  confidence: 'Confidence',
  // The certainty is rounded down, because no trace is certain.
  percent: (share: number) => `${(Math.floor(share * 10_000) / 100).toFixed(2)}%`,
  others: (count: number) => `and ${count} more`,
  uncertain: 'Uncertain',
  trace: 'Trace',
  size: 'Copy size',
  digest: 'SHA-256 digest',
  removed: 'This user no longer exists.',
  blocked: 'Blocked',
} as const
