// This kernel computes the prices of European options.
//
// prices, strikes, years: float[n]. calls, puts: float[n], written. rate: riskless interest rate per year.
// volatility: per square root of a year.
//
// Block: 128 x 1 x 1. Grid: ceil(n / 128). Deterministic.
//
// Host sequence: black_scholes once.
//
// Source: Black and Scholes, The Pricing of Options and Corporate Liabilities, 1973; the normal distribution
// is that of Abramowitz and Stegun, Handbook of Mathematical Functions, 26.2.17.
#include "cuda.h"

HEDDLE_DEVICE float normal_distribution(float x) {
  const float t = 1 / fmaf(0.2316419F, fabsf(x), 1);
  float series = fmaf(1.330274429F, t, -1.821255978F);
  series = fmaf(series, t, 1.781477937F);
  series = fmaf(series, t, -0.356563782F);
  series = fmaf(series, t, 0.319381530F);
  const float tail = 0.3989422804F * exp_approx(-0.5F * x * x) * series * t;
  return x > 0 ? 1 - tail : tail;
}

HEDDLE_KERNEL black_scholes(const float* prices, const float* strikes, const float* years, float* calls,
                            float* puts, float rate, float volatility, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float deviation = volatility * sqrtf(years[i]);
  const float d1 =
      (log_approx(prices[i] / strikes[i]) + (rate + 0.5F * volatility * volatility) * years[i]) / deviation;
  const float d2 = d1 - deviation;
  const float strike = strikes[i] * exp_approx(-rate * years[i]);
  const float price_weight = normal_distribution(d1);
  const float strike_weight = normal_distribution(d2);
  calls[i] = prices[i] * price_weight - strike * strike_weight;
  puts[i] = strike * (1 - strike_weight) - prices[i] * (1 - price_weight);
}
