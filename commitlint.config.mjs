/** Commit messages: Conventional Commits with a short subject. */
export default {
  extends: ['@commitlint/config-conventional'],
  rules: {
    'header-max-length': [2, 'always', 60],
    // A paragraph in the body may be one long line.
    'body-max-line-length': [0],
    'footer-max-line-length': [0],
  },
}
