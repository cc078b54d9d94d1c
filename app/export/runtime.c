/* == trees == */
/* Adds up the leaves of trees: x <= threshold goes left, a missing x where its node says. */
struct demur_node {
  NODE left, right;
  FEATURE feature;
  SPLIT category; /* a row of the sets, or -1 */
  unsigned char missing_left;
  REAL threshold;
};

static void demur_trees(const REAL *x, const struct demur_node *nodes, const unsigned char (*sets)[32],
                        const REAL *values, int width, const NODE *roots, int n_roots, REAL *sums) {
  for (int t = 0; t < n_roots; t++) {
    long at = roots[t];
    while (nodes[at].left >= 0) {
      const struct demur_node *node = nodes + at;
      REAL v = x[node->feature];
      int left;
      if (isnan(v)) {
        left = node->missing_left;
      } else if (node->category >= 0) {
        int code = v > 0 && v < 256 ? (int)v : 0;
        left = sets[node->category][code >> 3] >> (code & 7) & 1;
      } else {
        left = v <= node->threshold;
      }
      at = left ? node->left : node->right;
    }
    for (int k = 0; k < width; k++) sums[k] += values[at * width + k];
  }
}

/* == interp == */
/* Linear between knots, constant beyond them. */
static REAL demur_interp(REAL v, const REAL *knots, const REAL *heights, int n) {
  int k = -1;
  if (isnan(v)) return v;
  while (k + 1 < n && knots[k + 1] <= v) k++;
  if (k < 0) return heights[0];
  if (k == n - 1) return heights[k];
  return heights[k] + (v - knots[k]) * ((heights[k + 1] - heights[k]) / (knots[k + 1] - knots[k]));
}

/* == held == */
static REAL demur_held(REAL v, REAL least, REAL most) {
  return v < least ? least : v > most ? most : v;
}

/* == softplus == */
static REAL demur_softplus(REAL v) {
  return (v > 0 ? v : 0) + log(1 + exp(-fabs(v)));
}
