/** How new keys look. */
export const keyFormatsText = {
  label: 'New keys look like',
  hint: 'For example HUB-XXXXX-XXXXX-XXXXX-XXXXX-X: each X is random, the last one finds typing errors. Empty: 32 letters and digits.',
  own: 'Another key format',
  ownLabel: 'Key format',
  ownHint: 'Such as HUB-XXXXX-XXXXX-XXXXX-XXXXX-X. Empty: as the settings of the project say.',
  example: 'A new key:',
  missing: (count: number) => `${count} more X, so that no key can be guessed.`,
  tooMany: 'At most 32 X.',
  noGroups: 'Add a prefix, or a - between two groups.',
  prefixWrong: 'The prefix has at most 12 letters from A to Z and digits.',
  groupsWrong: 'After the prefix stand groups of X, with a - between them.',
}
