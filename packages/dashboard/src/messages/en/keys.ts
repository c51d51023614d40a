/**
 * Messages for the formats of new keys, and for a key's details: tags, metadata, and whether the key was
 * handed out.
 */

export const keyFormatsText = {
  label: 'Key format',
  hint: 'For example, HUB-XXXXX-XXXXX-XXXXX-XXXXX-X. Each X is random; the last one is a check digit that catches typos. Leave empty for 32 letters and digits.',
  own: 'Use a different key format',
  ownLabel: 'Key format',
  ownHint:
    'For example, HUB-XXXXX-XXXXX-XXXXX-XXXXX-X. Leave empty to use the format in the project settings.',
  example: 'Example key:',
  missing: (count: number) => `Add ${count} more X so that keys can't be guessed.`,
  tooMany: 'Use the letter X at most 32 times.',
  noGroups: 'Add a prefix, or a hyphen between two groups.',
  prefixWrong: 'Use up to 12 letters (A–Z) and digits for the prefix.',
  groupsWrong: 'After the prefix, use groups of X separated by hyphens.',
}

export const labelsText = {
  tag: 'Tag',
  tags: 'Tags',
  tagsHint: 'Comma-separated. Up to 32 tags, 40 characters each. Scripts can read them.',
  tagsWrong: 'Enter at most 32 tags of at most 40 characters each.',
  metadata: 'Metadata',
  metadataFilter: 'Metadata (name=value)',
  metadataHint: 'Your own JSON. Scripts can read only its "public" field.',
  metadataWrong: 'Enter a JSON object such as {"order": 1001}, up to 8 KiB.',
  issuedTo: 'Handed out to',
  issuedBy: 'Handed out by',
  issuedWrong: 'Enter at most 255 characters.',
  issued: 'Handed out',
  alreadyIssued: 'already handed out',
  alreadyUsed: 'already used',
} as const
