// A linked list in managed memory: the host builds it with pointers that the device follows, and both change
// its elements in turn.

#include <cuda_runtime.h>

#include <cstdio>

struct Element {
  int value;
  Element* next;
};

__global__ void sum_list(Element* first, int* sum) {
  *sum = 0;
  for (Element* element = first; element != nullptr; element = element->next) {
    *sum += element->value;
    element->value *= 2;
  }
}

int main() {
  constexpr int kCount = 50;
  Element* elements;
  int* sum;
  cudaMallocManaged(&elements, kCount * sizeof(Element));
  cudaMallocManaged(&sum, sizeof(int));
  for (int i = 0; i < kCount; ++i)
    elements[i * 7 % kCount] = {i, i + 1 < kCount ? &elements[(i + 1) * 7 % kCount] : nullptr};
  sum_list<<<1, 1>>>(elements, sum);
  cudaDeviceSynchronize();
  bool right = *sum == kCount * (kCount - 1) / 2;
  for (int i = 0; i < kCount; ++i) {
    right = right && elements[i * 7 % kCount].value == 2 * i;
    elements[i * 7 % kCount].value += 1;
  }
  sum_list<<<1, 1>>>(elements, sum);
  cudaDeviceSynchronize();
  right = right && *sum == kCount * (kCount - 1) + kCount;
  cudaFree(elements);
  cudaFree(sum);
  right = right && cudaGetLastError() == cudaSuccess;
  std::printf("managed_list: %s\n", right ? "right" : "WRONG");
  return right ? 0 : 1;
}
