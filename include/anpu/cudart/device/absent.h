/* SPDX-License-Identifier: MIT */
/* Names that this device has nothing for: the compiler says so with a sentence where a kernel uses one. */
#pragma once

typedef unsigned long long cudaTextureObject_t;
typedef unsigned long long cudaSurfaceObject_t;
typedef cudaTextureObject_t CUtexObject;
typedef cudaSurfaceObject_t CUsurfObject;
enum cudaSurfaceBoundaryMode { cudaBoundaryModeZero, cudaBoundaryModeClamp, cudaBoundaryModeTrap };

#define ANPU_NO_TEXTURES __attribute__((unavailable("this device has no textures: read the array from global memory")))
#define ANPU_NO_SURFACES __attribute__((unavailable("this device has no surfaces: use the array in global memory")))
template <class T, int Dim = 1, int Mode = 0> struct ANPU_NO_TEXTURES texture {};
#define ANPU_X_(name) template <class T, class... A> ANPU_NO_TEXTURES T name(A...);
ANPU_X_(tex1D) ANPU_X_(tex1Dfetch) ANPU_X_(tex1DLod) ANPU_X_(tex1DLayered) ANPU_X_(tex2D) ANPU_X_(tex2DLod)
ANPU_X_(tex2DGrad) ANPU_X_(tex2Dgather) ANPU_X_(tex2DLayered) ANPU_X_(tex3D) ANPU_X_(tex3DLod) ANPU_X_(texCubemap)
ANPU_X_(tex1DGrad) ANPU_X_(tex3DGrad)
#undef ANPU_X_
#define ANPU_X_(name) template <class T, class... A> ANPU_NO_SURFACES T name(A...);
ANPU_X_(surf1Dread) ANPU_X_(surf2Dread) ANPU_X_(surf3Dread) ANPU_X_(surf2DLayeredread)
#undef ANPU_X_
#define ANPU_X_(name) template <class... A> ANPU_NO_SURFACES void name(A...);
ANPU_X_(surf1Dwrite) ANPU_X_(surf2Dwrite) ANPU_X_(surf3Dwrite) ANPU_X_(surf2DLayeredwrite)
#undef ANPU_X_

/* The forms without a mask, which CUDA has taken away, too */
#define ANPU_X_(name, with) \
	template <class... A> __attribute__((unavailable("use " #with ", whose first argument is the mask of lanes"))) \
	int name(A...);
ANPU_X_(__shfl, __shfl_sync) ANPU_X_(__shfl_up, __shfl_up_sync) ANPU_X_(__shfl_down, __shfl_down_sync)
ANPU_X_(__shfl_xor, __shfl_xor_sync) ANPU_X_(__any, __any_sync) ANPU_X_(__all, __all_sync)
ANPU_X_(__ballot, __ballot_sync)
#undef ANPU_X_
