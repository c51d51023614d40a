/** Commit messages: Conventional Commits with a short subject. */
export default {
  extends: ['@commitlint/config-conventional'],
  rules: {
    'header-max-length': [2, 'always', 60],
    // A paragraph of a body may be one line.
    'body-max-line-length': [0],
    'footer-max-line-length': [0],
  },
}
